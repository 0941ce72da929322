/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/call_arcs.h"

/* With its place in the index, which is at least a quarter empty. */
#define ARC_COST (2 * sizeof(struct arc) + 4 * sizeof(struct hash_slot))

void arcs_deinit(struct arcs *arcs)
{
	code_names_deinit(&arcs->functions);
	texts_deinit(&arcs->files);
	array_free(&arcs->at);
	array_free(&arcs->costs);
	array_free(&arcs->seen_in);
	hash_free(&arcs->index);
}

uint32_t arcs_file(struct arcs *arcs, const char *file)
{
	return file ? texts_number(&arcs->files, file) : ARCS_NO_FILE;
}

static bool is_same(const struct arc *a, const struct arc *b)
{
	return a->function == b->function && a->callee == b->callee &&
		a->file == b->file && a->line == b->line;
}

static const struct arc of_rest = { .function = ARCS_SELF,
	.callee = ARCS_SELF,
	.file = ARCS_NO_FILE };

static bool affords(struct arcs *arcs, const struct arc *new)
{
	if (is_same(new, &of_rest))
		return true;
	if (!arcs->is_full)
		arcs->is_full = !reader_affords(arcs->reader,
			ARC_COST + 2 * arcs->n_costs * sizeof(uint64_t));
	return !arcs->is_full;
}

static void add(
	struct arcs *arcs, const struct arc *new, const uint64_t *costs)
{
	uint64_t hash = hash_words(
		(uint64_t)new->function << 32 | new->callee,
		(uint64_t)new->file << 32 | new->line);
	uint32_t i, probe = hash_start(hash);
	struct arc *arc;
	size_t j;

	while ((i = hash_next(&arcs->index, hash, &probe)) != HASH_NONE) {
		arc = &arcs->at.at[i];
		if (!is_same(arc, new))
			continue;
		for (j = 0; j < arcs->n_costs; j++)
			arcs->costs.at[arc->costs + j] += costs[j];
		return;
	}
	if (!affords(arcs, new)) {
		if (new->callee == ARCS_SELF)
			add(arcs, &of_rest, costs);
		return;
	}
	hash_insert(&arcs->index, hash, (uint32_t)arcs->at.n);
	arc = array_push(&arcs->at);
	*arc = *new;
	arc->costs = (uint32_t)arcs->costs.n;
	for (j = 0; j < arcs->n_costs; j++)
		*array_push(&arcs->costs) = costs[j];
}

/* Whether FUNCTION was met in this stack before. */
static bool is_seen(struct arcs *arcs, uint32_t function)
{
	bool is_seen;

	while (arcs->seen_in.n <= function)
		array_push(&arcs->seen_in);
	is_seen = arcs->seen_in.at[function] == arcs->stack;
	arcs->seen_in.at[function] = arcs->stack;
	return is_seen;
}

static struct arc arc_at(struct arcs *arcs, uint32_t location)
{
	struct code_line at = resolver_line(arcs->functions.resolver, location);

	return (struct arc){
		.function = code_names_number(&arcs->functions, location),
		.file = arcs_file(arcs, at.file),
		.line = at.line,
	};
}

static struct arc arc_of_mark(uint32_t mark, uint32_t callee)
{
	return (struct arc){ .function = mark,
		.callee = callee,
		.file = ARCS_NO_FILE };
}

void arcs_add(struct arcs *arcs, struct chain chain,
	const struct arcs_marks *marks, const uint64_t *costs)
{
	uint32_t callee = marks->inner;
	struct arc arc;

	arcs->stack++;
	if (chain_is_empty(&chain)) {
		add(arcs, &of_rest, costs);
		return;
	}
	if (callee != ARCS_SELF) {
		arc = arc_of_mark(callee, ARCS_SELF);
		add(arcs, &arc, costs);
	}
	while (!chain_is_empty(&chain)) {
		arc = arc_at(arcs, chain_next(&chain));
		if (is_seen(arcs, arc.function))
			continue;
		arc.callee = callee;
		add(arcs, &arc, costs);
		callee = arc.function;
	}
	arc = arc_of_mark(marks->outer, callee);
	add(arcs, &arc, costs);
}

static int compare(const void *a, const void *b)
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
	array_sort(&arcs->at, compare);
}
