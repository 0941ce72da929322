/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that may never come back, such as opening a file on a file system that
 * doesn't answer: it is done by a thread of its own, and waited for only so
 * long. A thread that doesn't come back is left alone, with what it works on;
 * it ends with the program. After a few of them no more work is begun.
 */
#ifndef DWELL_RECORD_SYS_TIMED_WORKER_H
#define DWELL_RECORD_SYS_TIMED_WORKER_H

#include "common/util/base.h"

/* The first member of whatever the work reads and writes; on the heap. */
struct patience_job {
	void (*work)(struct patience_job *job);
	void (*drop)(struct patience_job *job); /* frees all of it */
};

struct patience;

/* Waits LIMIT_MS for each job. For one caller at a time. */
struct patience *patience_create(unsigned limit_ms);
void patience_destroy(struct patience *patience);

/*
 * True: JOB is done, and the caller's again. False: it wasn't done in time, or
 * not begun; it is dropped now or when it comes back.
 */
bool patience_run(
	struct patience *patience, struct patience_job *job) _must_check_;

#endif
