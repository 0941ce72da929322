/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks added up as callgrind's format wants them: what was spent in each
 * line of each function itself, and below each of its calls. A function stands
 * once in a stack, however often it is there: at its innermost place, called by
 * the nearest one outside it that is left. So both what it and its calls spend,
 * which KCachegrind adds up, and what calls of it spend, which callgrind_annotate
 * adds up, are what it is in the report, also where functions call each other in
 * circles. For export_callgrind.c.
 */
#ifndef DWELL_REPORT_EXPORT_CALL_ARCS_H
#define DWELL_REPORT_EXPORT_CALL_ARCS_H

#include "report/resolve/function_numbers.h"
#include "report/util/string_table.h"

#define ARCS_SELF UINT32_MAX
#define ARCS_NO_FILE UINT32_MAX

struct arc {
	uint32_t function; /* a number; ARCS_SELF: of what there was no memory
			    * for */
	uint32_t callee;   /* another; ARCS_SELF: the function itself */
	uint32_t file;     /* a number of .files, or ARCS_NO_FILE */
	uint32_t line;
	uint32_t costs;    /* number of the first in .costs */
};

struct arcs {
	struct code_names functions;
	struct texts files;
	size_t n_costs; /* of each */
	ARRAY(struct arc) at;
	ARRAY(uint64_t) costs;
	struct hash_index index;
	ARRAY(uint32_t) seen_in; /* by function: the last stack */
	uint32_t stack;
	struct reader *reader; /* whose size bounds them */
	bool is_full; /* there were more */
};

/* All zero but for .functions, .n_costs and .reader at first. */
void arcs_deinit(struct arcs *arcs);

/* What isn't code, around a stack: numbers of functions. */
struct arcs_marks {
	uint32_t inner; /* the sampled function called it; or ARCS_SELF */
	uint32_t outer; /* it called the outermost one, so that all have a caller */
};

/*
 * CHAIN of locations, the sampled one first, costs COSTS, n_costs of them. An
 * empty one is what there was no memory for; so is what a function spends itself,
 * and what its calls do is left out, when there is none any more.
 */
void arcs_add(struct arcs *arcs, struct chain chain,
	const struct arcs_marks *marks, const uint64_t *costs);
/* By function, what was spent there before its calls, and lines. */
void arcs_sort(struct arcs *arcs);

/* The number of FILE, which may be NULL. */
uint32_t arcs_file(struct arcs *arcs, const char *file);

#endif
