/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs jobs that may block forever, such as opening a file on a file system
 * that does not respond, in another thread, and waits for each job up to a time
 * limit. A thread that exceeds the limit is abandoned with its job; it ends
 * with the program. After three abandoned threads no more jobs are run.
 */
#ifndef DWELL_RECORD_SYS_TIMED_WORKER_H
#define DWELL_RECORD_SYS_TIMED_WORKER_H

#include "common/util/base.h"

/* The first member of a struct on the heap with the job's input and output. */
struct timed_job {
	void (*work)(struct timed_job *job);
	void (*drop)(struct timed_job *job); /* frees the whole struct */
};

struct timed_worker;
/* Creates a worker that waits LIMIT_MS for each job. Not thread-safe. */
struct timed_worker *timed_worker_create(unsigned limit_ms);
void timed_worker_destroy(struct timed_worker *worker);
/*
 * Returns true if JOB is done; the caller owns it again. Returns false if JOB
 * was not started or not done within the limit; it is dropped, now or by the
 * thread that runs it.
 */
bool timed_worker_run(
	struct timed_worker *worker, struct timed_job *job) _must_check_;

#endif
