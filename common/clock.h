/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CLOCK_MONOTONIC, the clock of all records, as one number. */
#ifndef DWELL_CLOCK_H
#define DWELL_CLOCK_H

#include <time.h>

#include "common/base.h"

static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

#endif
