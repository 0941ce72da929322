/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From runs between branches to how often a function's blocks were entered. */
#ifndef DWELL_REPORT_CODE_BRANCH_BLOCKS_H
#define DWELL_REPORT_CODE_BRANCH_BLOCKS_H

#include "report/code/branch_runs.h"
#include "report/code/flow.h"

struct branch_block {
	uint64_t entered;
	uint64_t taken, not_taken; /* the jump or branch at its end */
	uint64_t mispredicted;     /* of .taken */
	double cycles; /* all in all, of .timed entries */
	uint64_t timed;
};

/*
 * The N RUNS of a function, whose CODE and FLOW these are, to RET, zeroed, of
 * which there is one per block of FLOW.
 */
void branch_blocks_count(const struct disassembly *code,
	const struct flow *flow, const struct branch_run *runs, size_t n,
	struct branch_block *ret);

#endif
