/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that share a piece of work with whoever has it, and sleep in between.
 * They are started when there is work for the first time, and have the priority
 * of the one that asks then. How the work is shared is the caller's.
 */
#ifndef DWELL_RECORD_UNWIND_WORKERS_H
#define DWELL_RECORD_UNWIND_WORKERS_H

#include "common/util/base.h"

struct workers;

/*
 * N at a time, of at least 1: who asks is one of them. WORK does one share of
 * it, which is told by its number below N.
 */
struct workers *workers_create(
	size_t n, void (*work)(void *data, size_t share), void *data);
/* Also stops them. */
void workers_destroy(struct workers *workers);

/*
 * Does every share once, and returns when all are done. Where a thread can't be
 * started, its share is done here.
 */
void workers_run(struct workers *workers);
/* How many threads were started. */
size_t workers_started(const struct workers *workers);

#endif
