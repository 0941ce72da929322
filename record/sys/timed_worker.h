/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs jobs that may block forever, such as opening a file on a file system
 * that does not respond, in another thread, and waits for each job up to a time
 * limit. A thread that exceeds the limit is abandoned with its job, and ends
 * when the job or the program ends. After three abandoned threads no more jobs
 * are run.
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
};

struct timed_worker;
/* Creates a worker that waits LIMIT_MS for each job. Not thread-safe. */
struct timed_worker *timed_worker_create(unsigned limit_ms);
void timed_worker_destroy(struct timed_worker *worker);
/*
 * Runs JOB. Returns true if JOB is done; the caller owns JOB again. Returns
 * false if JOB was not started or not done within the time limit; then JOB is
 * freed (timed_job.drop), now or by the thread that runs JOB.
 */
bool timed_worker_run(
	struct timed_worker *worker, struct timed_job *job) _must_check_;

#endif
