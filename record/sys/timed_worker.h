/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs jobs that may block forever, such as opening a file on a file system
 * that does not respond, in another thread, and waits for each job up to a time
 * limit. A thread that is blocked for longer is abandoned with its job, and ends
 * when the job or the program ends. After three abandoned threads no more jobs
 * are run. The time in which a thread runs, or waits for a CPU, is not that of a file
 * system: a job that takes more CPU time than the limit is stopped, alone.
 */
#ifndef DWELL_RECORD_SYS_TIMED_WORKER_H
#define DWELL_RECORD_SYS_TIMED_WORKER_H

#include "common/util/base.h"

/*
 * A job: the first member of a struct on the heap that also contains the input
 * and output of the job.
 */
struct timed_job {
	void (*work)(struct timed_job *job);
	void (*drop)(struct timed_job *job); /* frees the whole struct */
	/*
	 * The result is not used any more: a job that takes long reads this at its
	 * steps, and ends.
	 */
	_Atomic bool is_abandoned;
};

struct timed_worker;
/*
 * Creates a worker for jobs that block for up to LIMIT_MS, and take up to LIMIT_MS of
 * CPU time. Not thread-safe.
 */
struct timed_worker *timed_worker_create(unsigned limit_ms);
void timed_worker_destroy(struct timed_worker *worker);
/* Returns true if no more jobs are run. */
bool timed_worker_is_ended(const struct timed_worker *worker);
/*
 * Runs JOB. Returns true if JOB is done; the caller owns JOB again. Returns
 * false if JOB was not started or not done within the time limits; then JOB is
 * freed (timed_job.drop), now or by the thread that runs JOB.
 */
bool timed_worker_run(
	struct timed_worker *worker, struct timed_job *job) _must_check_;

#endif
