/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums stacks to call arcs of callgrind's format: the cost of each line of each
 * function itself, and of each of its calls. A recursive function is counted
 * once per stack: at its innermost frame, called by the nearest outer frame
 * that is left. So the inclusive costs of KCachegrind (a function and its
 * calls) and of callgrind_annotate (calls of a function) are those of the
 * report, also in cycles of calls. For export_callgrind.c.
 */
#ifndef DWELL_REPORT_EXPORT_CALL_ARCS_H
#define DWELL_REPORT_EXPORT_CALL_ARCS_H

#include "report/resolve/function_numbers.h"
#include "report/util/string_table.h"

#define ARCS_SELF UINT32_MAX
#define ARCS_NO_FILE UINT32_MAX

struct arc {
	uint32_t function; /* ARCS_SELF: the rest, at the limit of memory */
	uint32_t callee;   /* ARCS_SELF: the cost of the function itself */
	uint32_t file;	   /* index in .files, or ARCS_NO_FILE */
	uint32_t line;
	uint32_t costs; /* index of the first one in .costs */
};

struct arcs {
	struct function_numbers functions;
	struct string_table files;
	size_t n_costs; /* of each arc */
	ARRAY(struct arc) at;
	ARRAY(uint64_t) costs;
	struct hash_index index;
	ARRAY(uint32_t) seen_in; /* last stack, by function */
	uint32_t stack;
	const struct input *input; /* its size limits the memory */
	bool is_full;	       /* arcs were left out */
};

/* The caller sets .functions, .n_costs and .input, and zeroes the rest. */
void arcs_deinit(struct arcs *arcs);

/* Functions that are not code, at both ends of a stack. */
struct arcs_marks {
	uint32_t inner; /* called by the sampled function; or ARCS_SELF */
	uint32_t outer; /* calls the outermost function */
};

/*
 * Adds a stack with the .n_costs COSTS. CHAIN has its locations, the sampled
 * one first; an empty chain is the rest of the stacks. At the limit of memory,
 * the cost of a function itself is added to the rest, and costs of its calls
 * are left out.
 */
void arcs_add(struct arcs *arcs, struct chain chain,
	const struct arcs_marks *marks, const uint64_t *costs);
/* Sorts by function; its own cost precedes its calls, both sorted by line. */
void arcs_sort(struct arcs *arcs);

/* Returns the number of FILE, or ARCS_NO_FILE if it is NULL. */
uint32_t arcs_file(struct arcs *arcs, const char *file);

#endif
