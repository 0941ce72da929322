/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds runs of code in branch stacks: from the target of one branch to the
 * next branch that was taken, no other branch was taken. Equal runs are counted
 * together. From the runs, counts how often the blocks of a function were
 * entered.
 */
#ifndef DWELL_REPORT_CODE_BRANCH_RUNS_H
#define DWELL_REPORT_CODE_BRANCH_RUNS_H

#include "report/code/flow.h"
#include "report/result/result.h"

struct branch_run {
	uint32_t event;	      /* number for all inputs */
	uint32_t shown_as;    /* location of its function */
	uint64_t first, last; /* offsets in the function: the start, and the
				 branch at the end */
	uint64_t times, mispredicted;
	uint64_t cycles, timed; /* .timed: number of runs in .cycles */
};

/* A zero-initialized struct is empty. */
struct branch_runs {
	ARRAY(struct branch_run) at; /* sorted by event and function */
};

/*
 * Finds the runs of all samples that pass the filters of RESULT, whatever code
 * they are in. The caller frees RET with branch_runs_deinit().
 */
void branch_runs_find(struct result *result, struct branch_runs *ret);
void branch_runs_deinit(struct branch_runs *runs);

/* Returns the first run of the function SHOWN_AS, or NULL, and their number. */
const struct branch_run *branch_runs_of(const struct branch_runs *runs,
	uint32_t event, uint32_t shown_as, size_t *n_ret);

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
