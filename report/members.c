/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/members.h"

#include "common/alloc.h"

/* In all lists together: 8 MB. */
#define MEMBERS_MAX ((size_t)1 << 20)

struct member {
	uint32_t stack;
	/* Bytes of its chain: the part's end if callers come first, or start. */
	uint32_t at;
};

struct members {
	const struct scan *scan;
	const struct hist *hist;
	bool callers_first;
	struct members_of {
		uint32_t first, n; /* in .list */
		uint32_t last;     /* stack that was seen, + 1 */
		bool is_listed;
	} *rows; /* by the row's number */
	struct member *list;
	bool *is_context, *is_location; /* the row has some of these */
};

/* --- lists ---------------------------------------------------------------- */

static int compare_stacks(const void *a, const void *b)
{
	const struct row *const *left = a, *const *right = b;

	if ((*left)->stacks != (*right)->stacks)
		return COMPARE((*left)->stacks, (*right)->stacks);
	return COMPARE((*left)->number, (*right)->number);
}

/* Those that stand in the fewest, as many as there is room for. */
static void choose_rows(struct members *members, uint64_t limit)
{
	ARRAY(const struct row *) rows = { 0 };
	size_t total = 0;

	array_each(&members->hist->rows, row)
		if (!row->is_hidden && MAX(row->self, row->children) >= limit)
			*array_push(&rows) = row;
	array_sort(&rows, compare_stacks);
	array_each(&rows, row) {
		struct members_of *of = &members->rows[(*row)->number];

		if ((*row)->stacks > MEMBERS_MAX - total)
			break;
		of->is_listed = true;
		of->first = (uint32_t)total;
		total += (*row)->stacks;
	}
	array_free(&rows);
	members->list = xcalloc(total, sizeof(*members->list));
}

/* NULL if ROW has no list. IS_NEW_RET: the stack was not in it yet. */
static struct member *member_of(struct members *members, uint32_t row,
	uint32_t stack, bool *is_new_ret)
{
	struct members_of *of = &members->rows[row];

	if (!of->is_listed)
		return NULL;
	*is_new_ret = of->last != stack + 1;
	if (*is_new_ret) {
		of->last = stack + 1;
		members->list[of->first + of->n++].stack = stack;
	}
	return &members->list[of->first + of->n - 1];
}

static void list_stack(struct members *members, uint32_t number)
{
	const struct scan *scan = members->scan;
	const struct hist *hist = members->hist;
	uint32_t context = stacks_at(&scan->stacks, number)->context, row;
	struct chain chain = stacks_chain(&scan->stacks, number);
	const uint8_t *start = chain.at, *before;
	struct member *member;
	uint32_t sampled;
	bool is_new;

	if (!hist_counts(hist, &scan->stacks.contexts.at[context]))
		return;
	sampled = hist_find(hist, context, chain_next(&chain));
	member = member_of(members, sampled, number, &is_new);
	if (member)
		member->at = (uint32_t)((members->callers_first
						? chain.end
						: chain.at) - start);
	while (hist->has_children && !chain_is_empty(&chain)) {
		before = chain.at;
		row = hist_find(hist, context, chain_next(&chain));
		if (row == sampled)
			continue;
		member = member_of(members, row, number, &is_new);
		if (member && members->callers_first)
			member->at = (uint32_t)(chain.at - start);
		else if (member && is_new)
			member->at = (uint32_t)(before - start);
	}
}

struct members *members_create(const struct scan *scan,
	const struct hist *hist, uint64_t limit, bool callers_first)
{
	struct members *members = xcalloc(1, sizeof(*members));
	uint32_t n = stacks_n(&scan->stacks), i;

	members->scan = scan;
	members->hist = hist;
	members->callers_first = callers_first;
	members->rows = xcalloc(hist->rows.n, sizeof(*members->rows));
	members->is_context = xcalloc(
		scan->stacks.contexts.n, sizeof(*members->is_context));
	members->is_location = xcalloc(
		hist->through.n, sizeof(*members->is_location));
	choose_rows(members, limit);
	for (i = 0; i < n; i++)
		list_stack(members, i);
	return members;
}

void members_destroy(struct members *members)
{
	if (!members)
		return;
	free(members->rows);
	free(members->list);
	free(members->is_context);
	free(members->is_location);
	free(members);
}

static void visit_list(const struct members *members,
	const struct members_of *of, members_visit_fn *visit, void *data)
{
	const struct stacks *stacks = &members->scan->stacks;
	uint32_t i;

	for (i = of->first; i < of->first + of->n; i++) {
		const struct member *member = &members->list[i];
		struct chain part = stacks_chain(stacks, member->stack);
		const uint8_t *start = part.at;

		chain_next(&part);
		if (members->callers_first)
			part.end = start + member->at;
		else
			part.at = start + member->at;
		if (!chain_is_empty(&part))
			visit(data, stacks_at(stacks, member->stack), &part);
	}
}

/* --- searching ------------------------------------------------------------ */

/* Finding a stack's place in the row begins with what is cheap to ask. */
static void mark_places(
	struct members *members, const struct row *row, bool is_marked)
{
	array_each(&members->hist->places, place) {
		if (place->row != row->number)
			continue;
		members->is_context[place->context] = is_marked;
		members->is_location[place->location] = is_marked;
	}
}

static bool is_in_row(const struct members *members, const struct row *row,
	uint32_t context, uint32_t location)
{
	return members->is_location[location] &&
		hist_find(members->hist, context, location) == row->number;
}

/* False if it doesn't stand in CHAIN, which is cut to its part otherwise. */
static bool cut_to_row(const struct members *members, const struct row *row,
	uint32_t context, struct chain *chain)
{
	struct chain before;
	uint32_t location;

	if (is_in_row(members, row, context, chain_next(chain)))
		return true;
	while (members->hist->has_children && !chain_is_empty(chain)) {
		before = *chain;
		location = members->callers_first ? chain_last(chain)
						  : chain_next(chain);
		if (!is_in_row(members, row, context, location))
			continue;
		*chain = before;
		return true;
	}
	return false;
}

static void search(struct members *members, const struct row *row,
	members_visit_fn *visit, void *data)
{
	const struct stacks *stacks = &members->scan->stacks;
	uint32_t n = stacks_n(stacks), i;

	mark_places(members, row, true);
	for (i = 0; i < n; i++) {
		const struct stack *stack = stacks_at(stacks, i);
		struct chain chain;

		if (!members->is_context[stack->context])
			continue;
		chain = stacks_chain(stacks, i);
		if (cut_to_row(members, row, stack->context, &chain) &&
			!chain_is_empty(&chain))
			visit(data, stack, &chain);
	}
	mark_places(members, row, false);
}

void members_visit(struct members *members, const struct row *row,
	members_visit_fn *visit, void *data)
{
	const struct members_of *of = &members->rows[row->number];

	if (of->is_listed)
		visit_list(members, of, visit, data);
	else
		search(members, row, visit, data);
}
