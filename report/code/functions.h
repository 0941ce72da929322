/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that the samples of one event hit, and at which of their
 * addresses. Callers don't count: a sample is where it was taken.
 */
#ifndef DWELL_REPORT_CODE_FUNCTIONS_H
#define DWELL_REPORT_CODE_FUNCTIONS_H

#include "report/result/result.h"
#include "report/rows/sample_addresses.h"

struct function_place {
	uint64_t place; /* from the function's start */
	uint64_t samples, period;
};

struct function {
	uint32_t location; /* one of its, for the resolver */
	const char *symbol; /* as location has it, */
	uint64_t start;     /* likewise */
	struct build_id build_id; /* of its file; size 0: nobody tells */
	uint64_t samples, period;
	ARRAY(struct function_place) places; /* ascending */
	bool is_asked; /* the command line means it: function_args.h */
};

/* A zeroed one is empty. */
struct functions {
	uint32_t event;
	uint64_t samples, period;    /* the event's, filtered or not */
	ARRAY(struct function) at;   /* the largest first */
	ARRAY(uint64_t) nameless;    /* periods of code without a symbol, by
				      * the resolver's number of its DSO's name;
				      * functions_find() only */
	struct hash_index by_shown;
};

/*
 * Of a RESULT that was counted (result_count()) with addresses for locations
 * (RESOLVE_PLACES). Code without a symbol is in none of them; how
 * much there was is counted.
 */
void functions_find(
	const struct result *result, uint32_t event, struct functions *ret);
/*
 * The same of HITS, which were kept while RESULT was counted, whatever its
 * locations are: RET has one per event of its inputs. What filters of code leave
 * out isn't there, and no longer in HITS either.
 */
void functions_find_hits(
	struct result *result, struct hits *hits, struct functions *ret);
void functions_deinit(struct functions *functions);

#endif
