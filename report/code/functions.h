/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampled functions of one event, and the sampled addresses in each
 * function. A sample counts only for the function of the leaf frame.
 */
#ifndef DWELL_REPORT_CODE_FUNCTIONS_H
#define DWELL_REPORT_CODE_FUNCTIONS_H

#include "report/result/result.h"
#include "report/rows/sample_addresses.h"

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
	bool is_selected; /* selected by the command line: function_args.h */
};

/* A zero-initialized struct is empty. */
struct functions {
	uint32_t event;
	uint64_t samples, period;  /* totals of the whole event, also of samples
				      that filters hide */
	ARRAY(struct function) at; /* sorted by period, largest first */
	ARRAY(uint64_t)
	nameless; /* periods of code without a symbol, by number of the DSO name
		     in the resolver; only by functions_find() */
	struct hash_index by_shown;
};

/*
 * Finds the functions of event number EVENT in RESULT, which result_count()
 * counted with RESOLVE_PLACES. Code without a symbol is counted in .nameless.
 */
void functions_find(
	const struct result *result, uint32_t event, struct functions *ret);
/*
 * Finds the functions in HITS, the addresses that were collected while RESULT
 * was counted with any enum resolver_grain. RET has one element per event.
 * Addresses that filters by DSO or symbol reject are left out, and removed from
 * HITS.
 */
void functions_find_sampled(struct result *result,
	struct sample_addresses *hits, struct functions *ret);
void functions_deinit(struct functions *functions);

#endif
