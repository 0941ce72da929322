/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/call_arcs.h"

#include "common/util/budget.h"
#include "report/scan/inputs.h"

/* Bytes of an arc and its slot in .index; a quarter of the index is empty. */
#define ARC_COST (2 * sizeof(struct arc) + 4 * sizeof(struct hash_slot))

void arcs_deinit(struct arcs *arcs)
{
	function_numbers_deinit(&arcs->functions);
	string_table_deinit(&arcs->files);
	array_free(&arcs->at);
	array_free(&arcs->costs);
	array_free(&arcs->seen_in);
	hash_free(&arcs->index);
}

uint32_t arcs_file(struct arcs *arcs, const char *file)
{
	return file ? string_table_intern(&arcs->files, file) : ARCS_NO_FILE;
}

static bool is_same_arc(const struct arc *a, const struct arc *b)
{
	return a->function == b->function && a->callee == b->callee &&
		a->file == b->file && a->line == b->line;
}

static const struct arc rest_arc = {
	.function = ARCS_SELF, .callee = ARCS_SELF, .file = ARCS_NO_FILE
};

static bool reserve_arc(struct arcs *arcs, const struct arc *new)
{
	if (is_same_arc(new, &rest_arc))
		return true;
	if (!arcs->is_full)
		arcs->is_full = !budget_reserve(input_budget(arcs->input),
			ARC_COST + 2 * arcs->n_costs * sizeof(uint64_t));
	return !arcs->is_full;
}

static void add_arc_costs(
	struct arcs *arcs, const struct arc *new, const uint64_t *costs)
{
	uint64_t hash = hash_words((uint64_t) new->function << 32 | new->callee,
		(uint64_t) new->file << 32 | new->line);
	struct arc *arc;
	size_t j;

	hash_each_match(&arcs->index, hash, i) {
		arc = &arcs->at.at[i];
		if (!is_same_arc(arc, new))
			continue;
		for (j = 0; j < arcs->n_costs; j++)
			arcs->costs.at[arc->costs + j] += costs[j];
		return;
	}
	if (!reserve_arc(arcs, new)) {
		if (new->callee == ARCS_SELF)
			add_arc_costs(arcs, &rest_arc, costs);
		return;
	}
	hash_insert(&arcs->index, hash, (uint32_t)arcs->at.n);
	arc = array_push(&arcs->at);
	*arc = *new;
	arc->costs = (uint32_t)arcs->costs.n;
	for (j = 0; j < arcs->n_costs; j++)
		*array_push(&arcs->costs) = costs[j];
}

/*
 * Returns whether FUNCTION was already found in the current stack, and records
 * it as found.
 */
static bool is_function_in_stack(struct arcs *arcs, uint32_t function)
{
	bool is_function_in_stack;

	while (arcs->seen_in.n <= function)
		array_push(&arcs->seen_in);
	is_function_in_stack = arcs->seen_in.at[function] == arcs->stack;
	arcs->seen_in.at[function] = arcs->stack;
	return is_function_in_stack;
}

static struct arc mark_arc(uint32_t mark, uint32_t callee)
{
	return (struct arc){
		.function = mark, .callee = callee, .file = ARCS_NO_FILE
	};
}

void arcs_add(struct arcs *arcs, struct chain chain,
	const struct arcs_marks *marks, const uint64_t *costs)
{
	uint32_t callee = marks->inner;
	struct arc arc;

	arcs->stack++;
	if (chain_is_empty(&chain)) {
		add_arc_costs(arcs, &rest_arc, costs);
		return;
	}
	if (callee != ARCS_SELF) {
		arc = mark_arc(callee, ARCS_SELF);
		add_arc_costs(arcs, &arc, costs);
	}
	while (!chain_is_empty(&chain)) {
		uint32_t location = chain_next(&chain);
		struct code_line at =
			resolver_line(arcs->functions.resolver, location);
		arc = (struct arc){
			.function = function_numbers_find(
				&arcs->functions, location),
			.file = arcs_file(arcs, at.file),
			.line = at.line,
		};
		if (is_function_in_stack(arcs, arc.function))
			continue;
		arc.callee = callee;
		add_arc_costs(arcs, &arc, costs);
		callee = arc.function;
	}
	if (marks->outer == ARCS_SELF)
		return;
	arc = mark_arc(marks->outer, callee);
	add_arc_costs(arcs, &arc, costs);
}

static int compare_arcs(const void *a, const void *b)
{
	const struct arc *left = a, *right = b;

	if (left->function != right->function)
		return COMPARE(left->function, right->function);
	if (left->callee != right->callee)
		return COMPARE(left->callee + 1, right->callee + 1);
	if (left->file != right->file)
		return COMPARE(left->file + 1, right->file + 1);
	return COMPARE(left->line, right->line);
}

void arcs_sort(struct arcs *arcs)
{
	array_sort(&arcs->at, compare_arcs);
}
