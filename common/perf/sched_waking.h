/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of the tracepoint sched:sched_waking: they are taken of who wakes,
 * and what they recorded tells who is woken.
 */
#ifndef DWELL_COMMON_PERF_SCHED_WAKING_H
#define DWELL_COMMON_PERF_SCHED_WAKING_H

#include "common/perf/sample.h"

#define WAKING_GROUP "sched"
#define WAKING_NAME "sched_waking"
#define WAKING_EVENT WAKING_GROUP ":" WAKING_NAME

/*
 * Where the data of a tracepoint have FIELD ("pid_t pid"), by FORMAT, the SIZE
 * bytes of tracefs that describe it. 0: nowhere.
 */
size_t tracepoint_place(const char *format, size_t size, const char *field);
/* The same of the woken thread's id. */
size_t waking_place(const char *format, size_t size);
/* Who is woken, by a sample with that PLACE; false: its data end before. */
bool waking_read(const struct sample *sample, size_t place, bool swap,
	uint32_t *tid_ret);

#endif
