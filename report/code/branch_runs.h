/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds runs in branch stacks. A run is the code from the target of a taken
 * branch to the next taken branch. Equal runs are counted together. Also
 * counts, from the runs, how often each block of a function was entered.
 */
#ifndef DWELL_REPORT_CODE_BRANCH_RUNS_H
#define DWELL_REPORT_CODE_BRANCH_RUNS_H

#include "report/code/flow.h"
#include "report/result/result.h"

struct branch_run {
	uint32_t event;	      /* event number, common to all inputs */
	uint32_t shown_as;    /* location number of the function */
	uint64_t first, last; /* offsets in the function: of the first
				 instruction, and of the branch at the end */
	uint64_t times, mispredicted;
	uint64_t cycles, timed; /* sum of recorded cycles; .timed: number of
				   runs with cycles */
};

/* A zero-initialized struct is empty. */
struct branch_runs {
	ARRAY(struct branch_run) at; /* sorted by .event and .shown_as */
};

/*
 * Finds the runs in all samples that pass the filters of RESULT; filters by DSO
 * and symbol are not applied. The caller frees RET with branch_runs_deinit().
 */
void branch_runs_find(struct result *result, struct branch_runs *ret);
void branch_runs_deinit(struct branch_runs *runs);

/*
 * Returns the runs of EVENT in the function with location number SHOWN_AS,
 * borrowed, or NULL. Sets N_RET to the number of runs.
 */
const struct branch_run *branch_runs_of(const struct branch_runs *runs,
	uint32_t event, uint32_t shown_as, size_t *n_ret);

struct branch_block {
	uint64_t entered;
	uint64_t taken,
		not_taken;     /* outcome of the block's last jump or branch */
	uint64_t mispredicted; /* mispredicted branches among .taken */
	double cycles;	       /* sum of the cycles of .timed entries */
	uint64_t timed;
};

/*
 * Counts the N RUNS of a function in RET, which has one zeroed element per
 * block of FLOW. CODE and FLOW are the instructions and the control flow of the
 * function.
 */
void branch_blocks_count(const struct disassembly *code,
	const struct flow *flow, const struct branch_run *runs, size_t n,
	struct branch_block *ret);

#endif
