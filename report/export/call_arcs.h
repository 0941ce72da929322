/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums stacks to call arcs of callgrind's format: the cost of each source line
 * of a function itself, and of each call at that line. A recursive function is
 * counted once per stack: at its innermost frame, called by the nearest outer
 * frame of another counted function. So the inclusive costs of KCachegrind (a
 * function and its calls) and of callgrind_annotate (calls of a function) equal
 * those of dwell report, also in cycles of calls. For export_callgrind.c.
 */
#ifndef DWELL_REPORT_EXPORT_CALL_ARCS_H
#define DWELL_REPORT_EXPORT_CALL_ARCS_H

#include "report/resolve/function_numbers.h"
#include "report/util/string_table.h"

#define ARCS_SELF UINT32_MAX
#define ARCS_NO_FILE UINT32_MAX

struct arc {
	uint32_t function; /* index in .functions; ARCS_SELF: "[others]" */
	uint32_t callee;   /* called function; ARCS_SELF: own cost */
	uint32_t file;	   /* index in arcs.files, or ARCS_NO_FILE */
	uint32_t line;
	uint32_t costs; /* index of the arc's first cost in arcs.costs */
};

struct arcs {
	struct function_numbers functions;
	struct string_table files;
	size_t n_costs; /* number of costs of each arc */
	ARRAY(struct arc) at;
	ARRAY(uint64_t) costs;
	struct hash_index index;
	ARRAY(uint32_t)
	seen_in; /* for each function: last stack that contains
				  * it */
	uint32_t stack;
	const struct input *input; /* its size limits the memory */
	bool is_full;		   /* arcs were left out */
};

/* The caller sets .functions, .n_costs and .input, and zeroes the rest. */
void arcs_deinit(struct arcs *arcs);

/*
 * Pseudo-functions that are added at both ends of a stack: indexes in
 * .functions.
 */
struct arcs_marks {
	uint32_t inner; /* called by the sampled function; ARCS_SELF: none */
	uint32_t outer; /* calls the outermost function; ARCS_SELF: none */
};

/*
 * Adds the arcs of a stack. COSTS has .n_costs elements. CHAIN has the
 * locations of the stack, the sampled location first; an empty CHAIN is counted
 * as "[others]". At the limit of memory, the own cost of a function is added to
 * "[others]", and the costs of calls are left out.
 */
void arcs_add(struct arcs *arcs, struct chain chain,
	const struct arcs_marks *marks, const uint64_t *costs);
/*
 * Sorts the arcs by function, callee, file and line. The own cost of a function
 * precedes its calls.
 */
void arcs_sort(struct arcs *arcs);

/* Returns the index of FILE in .files, or ARCS_NO_FILE if FILE is NULL. */
uint32_t arcs_file(struct arcs *arcs, const char *file);

#endif
