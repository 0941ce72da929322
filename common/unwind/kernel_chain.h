/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds where the call chain that the kernel recorded by frame pointers continues a
 * call chain that was unwound from a stack copy and ends too early.
 */
#ifndef DWELL_COMMON_UNWIND_KERNEL_CHAIN_H
#define DWELL_COMMON_UNWIND_KERNEL_CHAIN_H

#include "common/perf/sample.h"

/* The N entries of the call chain of SAMPLE from FIRST on: its user part. */
struct kernel_chain {
	const struct sample *sample; /* borrowed */
	uint64_t first, n;
	/* 1: the unwound callers can be return addresses minus 1; else 0 */
	uint64_t slack;
};

/*
 * Returns the index, from .first on, of the last of the N PCS, the unwound chain; 0: not found.
 * N is at least 2. The last two addresses must match. In a recursion, two entries match
 * at several indexes: the same depth is preferred, then one less, because the kernel can
 * miss one caller.
 */
uint64_t kernel_chain_find(
	const struct kernel_chain *chain, const uint64_t *pcs, size_t n);

#endif
