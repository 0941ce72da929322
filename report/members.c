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

/* A search for one row: it begins with what is cheap to ask. */
struct search {
	const struct members *members;
	const struct row *row;
	bool *is_context, *is_location; /* the row has some of these */
};

static void search_begin(struct search *search)
{
	const struct members *members = search->members;

	search->is_context = xcalloc(
		members->scan->stacks.contexts.n, sizeof(*search->is_context));
	search->is_location = xcalloc(
		members->hist->through.n, sizeof(*search->is_location));
	array_each(&members->hist->places, place) {
		if (place->row != search->row->number)
			continue;
		search->is_context[place->context] = true;
		search->is_location[place->location] = true;
	}
}

static bool is_in_row(
	const struct search *search, uint32_t context, uint32_t location)
{
	return search->is_location[location] &&
		hist_find(search->members->hist, context, location) ==
		search->row->number;
}

/* False if it doesn't stand in CHAIN, which is cut to its part otherwise. */
static bool cut_to_row(
	const struct search *search, uint32_t context, struct chain *chain)
{
	const struct members *members = search->members;
	struct chain before;
	uint32_t location;

	if (is_in_row(search, context, chain_next(chain)))
		return true;
	while (members->hist->has_children && !chain_is_empty(chain)) {
		before = *chain;
		location = members->callers_first ? chain_last(chain)
						  : chain_next(chain);
		if (!is_in_row(search, context, location))
			continue;
		*chain = before;
		return true;
	}
	return false;
}

static void search_all(
	struct search *search, members_visit_fn *visit, void *data)
{
	const struct stacks *stacks = &search->members->scan->stacks;
	uint32_t n = stacks_n(stacks), i;

	search_begin(search);
	for (i = 0; i < n; i++) {
		const struct stack *stack = stacks_at(stacks, i);
		struct chain chain;

		if (!search->is_context[stack->context])
			continue;
		chain = stacks_chain(stacks, i);
		if (cut_to_row(search, stack->context, &chain) &&
			!chain_is_empty(&chain))
			visit(data, stack, &chain);
	}
	free(search->is_context);
	free(search->is_location);
}

void members_visit(const struct members *members, const struct row *row,
	members_visit_fn *visit, void *data)
{
	const struct members_of *of = &members->rows[row->number];
	struct search search = { .members = members, .row = row };

	if (of->is_listed)
		visit_list(members, of, visit, data);
	else
		search_all(&search, visit, data);
}
