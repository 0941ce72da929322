/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/row_stacks.h"

#include "common/util/alloc.h"

/*
 * Limit of the elements of all rows' lists together: 64 MB. For a row without a
 * list, all stacks are searched, which is quadratic for stacks of thousands of
 * different frames.
 */
#define ROW_PLACES_MAX ((size_t)1 << 23)
/*
 * Value of .at for a stack whose sampled frame is in the row and whose callers
 * are not.
 */
#define NOWHERE (UINT32_MAX >> 1)

struct row_stack_place {
	uint32_t branch;
	/*
	 * Offset of the row's first frame in the chain of .branch, in bytes. A
	 * stack with .is_sampled is used whole; the part from this frame on is
	 * then subtracted, because prefixes of the stack report it, too.
	 */
	uint32_t at : 31;
	uint32_t is_sampled : 1;
};

struct row_stacks {
	const struct stack_prefixes *prefixes;
	const struct hist *hist;
	struct row_list {
		size_t first, n; /* range in .list */
		bool is_prepared, is_listed;
	} * rows; /* by number of the row */
	struct row_stack_place *list;
};

/* --- from stacks to rows -------------------------------------------------- */

/* A walk through all prefixes that looks for rows. */
struct row_stack_search {
	const struct row_stacks *stacks;
	const struct row *row; /* NULL: all prepared rows */
	bool *is_context;
	bool *is_location; /* by location: can be in a searched row */
	/*
	 * by row: offset + 1 of the row's first frame in the current stack; 0:
	 * none
	 */
	uint32_t *first;
	ARRAY(uint32_t) rows; /* rows found in the current stack */
	void (*found)(struct row_stack_search *search, uint32_t row,
		struct row_stack_place place);
	/* Arguments of .found(). */
	struct row_stacks *lists;
	row_stacks_visit_fn *visit;
	void *data;
};

static bool is_searched_row(const struct row_stack_search *search, uint32_t row)
{
	return search->stacks->rows[row].is_prepared &&
		(!search->row || search->row->number == row);
}

/*
 * Returns the row of LOCATION in CONTEXT if SEARCH looks for this row, or
 * HASH_NONE.
 */
static uint32_t find_searched_row(const struct row_stack_search *search,
	uint32_t context, uint32_t location)
{
	uint32_t row;

	if (!search->is_location[location])
		return HASH_NONE;
	row = hist_find(search->stacks->hist, context, location);
	return row != HASH_NONE && is_searched_row(search, row) ? row
								: HASH_NONE;
}

/*
 * Calls SEARCH->found for the rows of callers in BRANCH behind byte FROM,
 * except for row SAMPLED, whose stacks are used whole.
 */
static void find_caller_rows(struct row_stack_search *search, uint32_t branch,
	uint32_t from, uint32_t context, uint32_t sampled)
{
	const struct stack_prefixes *prefixes = search->stacks->prefixes;
	struct chain part = stack_prefixes_part(prefixes, branch, from);
	size_t size = from + (size_t)(part.end - part.at);

	while (!chain_is_empty(&part)) {
		uint32_t at = (uint32_t)(size - (size_t)(part.end - part.at));
		uint32_t row = find_searched_row(search, context,
			prefixes->callers_first ? chain_last(&part)
						: chain_next(&part));

		if (row == HASH_NONE || row == sampled || search->first[row])
			continue;
		search->first[row] = at + 1;
		*array_push(&search->rows) = row;
		search->found(search, row,
			(struct row_stack_place){ branch, at, false });
	}
}

static void search_leaf_stack(
	struct row_stack_search *search, uint32_t leaf, uint32_t from)
{
	const struct stack_prefixes *prefixes = search->stacks->prefixes;
	uint32_t context = stack_prefixes_stack(prefixes, leaf)->context, row;
	struct chain chain =
		stacks_chain(&prefixes->scan->stacks, prefixes->leaves[leaf]);

	if (!search->is_context[context])
		return;
	row = find_searched_row(search, context, chain_next(&chain));
	if (search->stacks->hist->has_children)
		find_caller_rows(
			search, leaf | STACK_PREFIXES_LEAF, from, context, row);
	if (row != HASH_NONE)
		search->found(search, row,
			(struct row_stack_place){ leaf | STACK_PREFIXES_LEAF,
				search->first[row] ? search->first[row] - 1
						   : NOWHERE,
				true });
}

static void search_prefix_stacks(
	struct row_stack_search *search, uint32_t prefix, uint32_t from)
{
	const struct stack_prefixes *prefixes = search->stacks->prefixes;
	uint32_t size = prefixes->at.at[prefix].size, branch;
	struct stack_prefixes_visit visit =
		stack_prefixes_visit(prefixes, prefix);
	uint32_t context;
	size_t before;

	if (visit.first == visit.end)
		return;
	context = stack_prefixes_stack(prefixes, visit.first)->context;
	if (size && !search->is_context[context])
		return;
	if (size)
		find_caller_rows(search, prefix, from, context, HASH_NONE);
	before = search->rows.n;
	while (stack_prefixes_next(prefixes, &visit, &branch)) {
		if (branch & STACK_PREFIXES_LEAF)
			search_leaf_stack(
				search, branch & ~STACK_PREFIXES_LEAF, size);
		else
			search_prefix_stacks(search, branch, size);
		while (search->rows.n > before)
			search->first[search->rows.at[--search->rows.n]] = 0;
	}
}

static void search_all_stacks(struct row_stack_search *search)
{
	const struct row_stacks *stacks = search->stacks;
	const struct hist *hist = stacks->hist;
	size_t n_contexts = stacks->prefixes->scan->stacks.contexts.n;
	bool is_anywhere = hist->rest_row != HASH_NONE &&
		is_searched_row(search, hist->rest_row);

	/*
	 * Mark the contexts and locations of the searched rows, so that most
	 * stacks need no lookup. The row with .is_rest can have any context and
	 * location.
	 */
	search->is_context = xcalloc(n_contexts, sizeof(bool));
	search->is_location = xcalloc(hist->through.n, sizeof(bool));
	if (is_anywhere) {
		memset(search->is_context, true, n_contexts);
		memset(search->is_location, true, hist->through.n);
	}
	array_each(&hist->places, place) {
		if (!is_searched_row(search, place->row))
			continue;
		search->is_context[place->context] = true;
		search->is_location[place->location] = true;
	}
	search->first = xcalloc(hist->rows.n, sizeof(*search->first));
	search_prefix_stacks(search, (uint32_t)stacks->prefixes->at.n - 1, 0);
	free(search->first);
	free(search->is_context);
	free(search->is_location);
	array_free(&search->rows);
}

/* --- lists ---------------------------------------------------------------- */

static void count_row_place(struct row_stack_search *search, uint32_t row,
	struct row_stack_place place _unused_)
{
	search->lists->rows[row].n++;
}

static void list_row_place(struct row_stack_search *search, uint32_t row,
	struct row_stack_place place)
{
	struct row_list *of = &search->lists->rows[row];

	if (of->is_listed)
		search->lists->list[of->first + of->n++] = place;
}

static int compare_place_counts(const void *a, const void *b, void *data)
{
	const uint32_t *left = a, *right = b;
	const struct row_stacks *stacks = data;
	size_t left_n = stacks->rows[*left].n;
	size_t right_n = stacks->rows[*right].n;

	return left_n != right_n ? COMPARE(left_n, right_n)
				 : COMPARE(*left, *right);
}

struct row_stacks *row_stacks_create(const struct hist *hist, uint64_t limit)
{
	struct row_stacks *stacks = xcalloc(1, sizeof(*stacks));
	struct row_stack_search search = {
		.stacks = stacks, .found = count_row_place, .lists = stacks
	};
	ARRAY(uint32_t) rows = { 0 };
	size_t total = 0;

	stacks->prefixes = hist->prefixes;
	stacks->hist = hist;
	stacks->rows = xcalloc(hist->rows.n, sizeof(*stacks->rows));
	array_each(&hist->rows, row)
		stacks->rows[row->number].is_prepared = !row->is_hidden &&
			MAX(row->self, row->children) >= limit;
	search_all_stacks(&search);
	/*
	 * The rows that have lists are those with the fewest stacks, until
	 * ROW_PLACES_MAX elements are used.
	 */
	array_each(&hist->rows, row)
		if (stacks->rows[row->number].is_prepared)
			*array_push(&rows) = row->number;
	if (rows.n)
		qsort_r(rows.at, rows.n, sizeof(*rows.at), compare_place_counts,
			stacks);
	array_each(&rows, row) {
		struct row_list *of = &stacks->rows[*row];

		if (of->n > ROW_PLACES_MAX - total)
			break;
		of->is_listed = true;
		of->first = total;
		total += of->n;
		of->n = 0;
	}
	array_free(&rows);
	stacks->list = xcalloc(total, sizeof(*stacks->list));
	search.found = list_row_place;
	search_all_stacks(&search);
	return stacks;
}

void row_stacks_destroy(struct row_stacks *stacks)
{
	if (!stacks)
		return;
	free(stacks->rows);
	free(stacks->list);
	free(stacks);
}

/* --- visits -------------------------------------------------------------- */

static void visit_row_place(struct row_stack_search *search,
	uint32_t row _unused_, struct row_stack_place place)
{
	const struct stack_prefixes *prefixes = search->stacks->prefixes;
	bool is_leaf = place.branch & STACK_PREFIXES_LEAF;
	uint32_t leaf = stack_prefixes_leaf_of(prefixes, place.branch);
	const struct stack *stack = stack_prefixes_stack(prefixes, leaf);
	struct row_stack one = { .branch = place.branch };

	if (is_leaf) {
		one.period = stack->period;
		one.samples = stack->samples;
	} else {
		one.period = prefixes->at.at[place.branch].period;
		one.samples = prefixes->at.at[place.branch].samples;
	}
	one.part = stack_prefixes_part(
		prefixes, place.branch, place.is_sampled ? 0 : place.at);
	if (!is_leaf || !chain_is_empty(&one.part))
		search->visit(search->data, &one);
	if (!place.is_sampled || place.at == NOWHERE)
		return;
	one.part = stack_prefixes_part(prefixes, place.branch, place.at);
	one.period = -one.period;
	one.samples = -one.samples;
	search->visit(search->data, &one);
}

void row_stacks_visit(const struct row_stacks *stacks, const struct row *row,
	row_stacks_visit_fn *visit, void *data)
{
	const struct row_list *of = &stacks->rows[row->number];
	struct row_stack_search search = { .stacks = stacks,
		.found = visit_row_place,
		.visit = visit,
		.data = data };
	size_t i;

	if (!of->is_listed) {
		search.row = row;
		search_all_stacks(&search);
		return;
	}
	for (i = of->first; i < of->first + of->n; i++)
		visit_row_place(&search, row->number, stacks->list[i]);
}
