/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool of threads that execute the shares of a job together with the calling
 * thread, and sleep between jobs. The threads are started with the first job,
 * with the priority of the calling thread.
 */
#ifndef DWELL_RECORD_UNWIND_WORKERS_H
#define DWELL_RECORD_UNWIND_WORKERS_H

#include "common/util/base.h"

struct workers;

/*
 * Creates a pool for N shares, at least 1. Share 0 runs in the calling thread.
 * WORK(DATA, SHARE) executes share number SHARE, which is less than N.
 */
struct workers *workers_create(
	size_t n, void (*work)(void *data, size_t share), void *data);
/* Ends the threads and frees WORKERS. */
void workers_destroy(struct workers *workers);

/*
 * Executes every share once, and returns when all shares are done. If a thread
 * cannot be started, the share of the thread runs in the calling thread.
 */
void workers_run(struct workers *workers);
/* Returns the number of threads that took part in the last workers_run(). */
size_t workers_started(const struct workers *workers);

#endif
