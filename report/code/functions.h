/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one event, and the sampled addresses in each function. A sample
 * counts for the function of its leaf frame and, in totals, for each function of its
 * call chain.
 */
#ifndef DWELL_REPORT_CODE_FUNCTIONS_H
#define DWELL_REPORT_CODE_FUNCTIONS_H

#include "report/result/result.h"

struct function_place {
	uint64_t place; /* offset from the start of the function */
	uint64_t samples, period;
};

struct function {
	uint32_t location;	  /* number of a location in the function, in
				     the resolver */
	const char *symbol;	  /* as in struct location */
	uint64_t start;		  /* as in struct location */
	struct build_id build_id; /* build ID of the function's file; size 0:
				     unknown */
	uint64_t samples, period;
	ARRAY(struct function_place) places; /* sorted by .place */
	/* With callees: the samples whose stacks contain the function. */
	uint64_t total_samples, total_period;
	ARRAY(const struct sample_visit *)
	visits;		  /* borrowed from the result */
	bool is_selected; /* selected by the command line: function_args.h */
};

/* A zero-initialized struct is empty. */
struct functions {
	uint32_t event;
	uint64_t samples, period; /* totals of the whole event, also of samples
				      that filters hide */
	ARRAY(struct function)
	at; /* sorted by period, then by total period,
				      largest first */
	ARRAY(uint64_t)
	nameless; /* periods of code without a symbol, by number of the DSO name
		     in the resolver */
	struct hash_index by_shown;
};

/*
 * Finds the functions of each event of RESULT, whose options count samples by address
 * (options.count.by_place). Without call chains, they have no visits. RET is an array with
 * an element per event. RESULT is borrowed until functions_deinit().
 */
void functions_find(const struct result *result, struct functions *ret);
void functions_deinit(struct functions *functions);

#endif
