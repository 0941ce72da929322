/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampled functions of one event and the addresses of their samples.
 * Callers do not count.
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
	uint32_t location;	  /* one of its locations */
	const char *symbol;	  /* as in .location */
	uint64_t start;		  /* as in .location */
	struct build_id build_id; /* of its file; size 0: unknown */
	uint64_t samples, period;
	ARRAY(struct function_place) places; /* sorted by .place */
	bool is_selected; /* selected by the command line: function_args.h */
};

/* A zero-initialized struct is empty. */
struct functions {
	uint32_t event;
	uint64_t samples, period;  /* of the whole event, filtered or not */
	ARRAY(struct function) at; /* largest first */
	ARRAY(uint64_t)
	nameless; /* periods of code without a symbol, by number of the DSO name
		     in the resolver; only by functions_find() */
	struct hash_index by_shown;
};

/*
 * Finds the functions of RESULT after result_count() with RESOLVE_PLACES. Code
 * without a symbol is counted in .nameless.
 */
void functions_find(
	const struct result *result, uint32_t event, struct functions *ret);
/*
 * Finds the functions in HITS, which were collected while RESULT was counted
 * with any kind of locations. RET has one element per event. Samples that the
 * code filters reject are left out, and removed from HITS.
 */
void functions_find_sampled(struct result *result,
	struct sample_addresses *hits, struct functions *ret);
void functions_deinit(struct functions *functions);

#endif
