/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times in nanoseconds. The clock of all records is CLOCK_MONOTONIC. */
#ifndef DWELL_COMMON_UTIL_CLOCK_H
#define DWELL_COMMON_UTIL_CLOCK_H

#include <time.h>

#include "common/util/base.h"

static inline uint64_t clock_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * NSEC_PER_SEC + (uint64_t)time->tv_nsec;
}

static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return clock_ns(&t);
}

/* Returns the CPU time of the calling thread. */
static inline uint64_t clock_thread_cpu_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return clock_ns(&t);
}

#endif
