/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts how often the blocks of a function were entered, from runs between
 * branches.
 */
#ifndef DWELL_REPORT_CODE_BRANCH_BLOCKS_H
#define DWELL_REPORT_CODE_BRANCH_BLOCKS_H

#include "report/code/branch_runs.h"
#include "report/code/flow.h"

struct branch_block {
	uint64_t entered;
	uint64_t taken,
		not_taken;     /* outcome of the jump or branch at the end */
	uint64_t mispredicted; /* part of .taken */
	double cycles;	       /* sum of .timed entries */
	uint64_t timed;
};

/*
 * Counts the N RUNS of the function with CODE and FLOW. RET is zeroed and has
 * one element per block of FLOW.
 */
void branch_blocks_count(const struct disassembly *code,
	const struct flow *flow, const struct branch_run *runs, size_t n,
	struct branch_block *ret);

#endif
