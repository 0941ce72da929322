/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What branch stacks tell of the way through functions: from where one branch
 * led to, up to the next one that was taken, no other was taken. Equal runs are
 * one.
 */
#ifndef DWELL_REPORT_CODE_BRANCH_RUNS_H
#define DWELL_REPORT_CODE_BRANCH_RUNS_H

#include "report/result/result.h"

struct branch_run {
	uint32_t event;       /* the number for all inputs */
	uint32_t shown_as;    /* its function's location */
	uint64_t first, last; /* places in the function: where it begins, and
			       * the branch that ends it */
	uint64_t times, mispredicted;
	uint64_t cycles, timed; /* of so many times */
};

/* A zeroed one is empty. */
struct branch_runs {
	ARRAY(struct branch_run) at; /* by event and function */
};

/* Of the samples that RESULT's filters want, wherever they were taken. */
void branch_runs_find(struct result *result, struct branch_runs *ret);
void branch_runs_deinit(struct branch_runs *runs);

/* Those of a function: the first; *N_RET: how many. */
const struct branch_run *branch_runs_of(const struct branch_runs *runs,
	uint32_t event, uint32_t shown_as, size_t *n_ret);

#endif
