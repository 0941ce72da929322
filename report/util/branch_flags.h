/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bits of a branch's flags, struct perf_branch_entry of linux/perf_event.h. */
#ifndef DWELL_REPORT_UTIL_BRANCH_FLAGS_H
#define DWELL_REPORT_UTIL_BRANCH_FLAGS_H

#include "common/util/base.h"

enum {
	BRANCH_MISPREDICTED = 1 << 0,
	BRANCH_PREDICTED = 1 << 1,
	BRANCH_IN_TRANSACTION = 1 << 2,
	BRANCH_ABORT = 1 << 3,
	BRANCH_TYPE_SHIFT = 20,	    /* first bit of the branch type, of 4
	                             * bits */
	BRANCH_NEW_TYPE_SHIFT = 26, /* first bit of the new branch type, of 4
	                             * bits */
};

/* Returns the cycles since the previous branch; 0: not recorded. */
static inline uint64_t branch_cycles(uint64_t flags)
{
	return flags >> 4 & UINT16_MAX;
}

#endif
