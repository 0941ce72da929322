/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/row_stacks.h"

#include "common/util/alloc.h"

/* In all lists together: 8 MB. */
#define MEMBERS_MAX ((size_t)1 << 20)
/* A sampled stack's: the row isn't among its callers. */
#define NOWHERE (UINT32_MAX >> 1)

struct place {
	uint32_t branch;
	/*
	 * The row's first frame in it, in bytes of chains. Sampled stacks are
	 * whole instead; what BRANCH's prefixes give of them has to be taken
	 * away from there.
	 */
	uint32_t at : 31;
	uint32_t is_sampled : 1;
};

struct members {
	const struct prefixes *prefixes;
	const struct hist *hist;
	struct members_of {
		size_t first, n; /* in .list */
		bool is_wanted, is_listed;
	} *rows; /* by the row's number */
	struct place *list;
};

/* --- from stacks to rows -------------------------------------------------- */

/* A way through all prefixes, for some rows. */
struct search {
	const struct members *members;
	const struct row *row; /* NULL: all that are wanted */
	bool *is_context;
	bool *is_location; /* some such row is of it */
	uint32_t *first; /* by row: where it is on this way, + 1 */
	ARRAY(uint32_t) rows; /* that are on it */
	void (*found)(struct search *search, uint32_t row, struct place place);
	/* FOUND's. */
	struct members *lists;
	members_visit_fn *visit;
	void *data;
};

static bool is_looked_for(const struct search *search, uint32_t row)
{
	return search->members->rows[row].is_wanted &&
		(!search->row || search->row->number == row);
}

/* HASH_NONE: none that is looked for. */
static uint32_t row_at(
	const struct search *search, uint32_t context, uint32_t location)
{
	uint32_t row;

	if (!search->is_location[location])
		return HASH_NONE;
	row = hist_find(search->members->hist, context, location);
	return row != HASH_NONE && is_looked_for(search, row) ? row : HASH_NONE;
}

/* SAMPLED isn't looked for: it has whole chains. */
static void find_callers(struct search *search, uint32_t branch, uint32_t from,
	uint32_t context, uint32_t sampled)
{
	const struct prefixes *prefixes = search->members->prefixes;
	struct chain part = prefixes_part(prefixes, branch, from);
	size_t size = from + (size_t)(part.end - part.at);

	while (!chain_is_empty(&part)) {
		uint32_t at = (uint32_t)(size - (size_t)(part.end - part.at));
		uint32_t row = row_at(search, context,
			prefixes->callers_first ? chain_last(&part)
						: chain_next(&part));

		if (row == HASH_NONE || row == sampled || search->first[row])
			continue;
		search->first[row] = at + 1;
		*array_push(&search->rows) = row;
		search->found(search, row, (struct place){ branch, at, false });
	}
}

static void search_leaf(struct search *search, uint32_t leaf, uint32_t from)
{
	const struct prefixes *prefixes = search->members->prefixes;
	uint32_t context = prefixes_stack(prefixes, leaf)->context, row;
	struct chain chain = stacks_chain(
		&prefixes->scan->stacks, prefixes->leaves[leaf]);

	if (!search->is_context[context])
		return;
	row = row_at(search, context, chain_next(&chain));
	if (search->members->hist->has_children)
		find_callers(search, leaf | PREFIXES_LEAF, from, context, row);
	if (row != HASH_NONE)
		search->found(search, row,
			(struct place){ leaf | PREFIXES_LEAF,
				search->first[row] ? search->first[row] - 1
						   : NOWHERE,
				true });
}

static void search_prefix(struct search *search, uint32_t prefix, uint32_t from)
{
	const struct prefixes *prefixes = search->members->prefixes;
	uint32_t size = prefixes->at.at[prefix].size, branch;
	struct prefixes_visit visit = prefixes_visit(prefixes, prefix);
	uint32_t context;
	size_t before;

	if (visit.first == visit.end)
		return;
	context = prefixes_stack(prefixes, visit.first)->context;
	if (size && !search->is_context[context])
		return;
	if (size)
		find_callers(search, prefix, from, context, HASH_NONE);
	before = search->rows.n;
	while (prefixes_next(prefixes, &visit, &branch)) {
		if (branch & PREFIXES_LEAF)
			search_leaf(search, branch & ~PREFIXES_LEAF, size);
		else
			search_prefix(search, branch, size);
		while (search->rows.n > before)
			search->first[search->rows.at[--search->rows.n]] = 0;
	}
}

/* It begins with what is cheap to ask; but the rest may be anywhere. */
static void find_where(struct search *search)
{
	const struct hist *hist = search->members->hist;
	size_t n_contexts = search->members->prefixes->scan->stacks.contexts.n;
	bool is_anywhere = hist->rest_row != HASH_NONE &&
		is_looked_for(search, hist->rest_row);

	search->is_context = xcalloc(n_contexts, sizeof(bool));
	search->is_location = xcalloc(hist->through.n, sizeof(bool));
	if (is_anywhere) {
		memset(search->is_context, true, n_contexts);
		memset(search->is_location, true, hist->through.n);
	}
	array_each(&hist->places, place) {
		if (!is_looked_for(search, place->row))
			continue;
		search->is_context[place->context] = true;
		search->is_location[place->location] = true;
	}
}

static void search_all(struct search *search)
{
	const struct members *members = search->members;

	find_where(search);
	search->first =
		xcalloc(members->hist->rows.n, sizeof(*search->first));
	search_prefix(search, (uint32_t)members->prefixes->at.n - 1, 0);
	free(search->first);
	free(search->is_context);
	free(search->is_location);
	array_free(&search->rows);
}

/* --- lists ---------------------------------------------------------------- */

static void count_place(
	struct search *search, uint32_t row, struct place place _unused_)
{
	search->lists->rows[row].n++;
}

static void list_place(struct search *search, uint32_t row, struct place place)
{
	struct members_of *of = &search->lists->rows[row];

	if (of->is_listed)
		search->lists->list[of->first + of->n++] = place;
}

static int compare_counts(const void *a, const void *b, void *data)
{
	const uint32_t *left = a, *right = b;
	const struct members *members = data;
	size_t left_n = members->rows[*left].n;
	size_t right_n = members->rows[*right].n;

	return left_n != right_n ? COMPARE(left_n, right_n)
				 : COMPARE(*left, *right);
}

/* Those that stand in the fewest, as many as there is room for. */
static void choose_rows(struct members *members)
{
	ARRAY(uint32_t) rows = { 0 };
	size_t total = 0;

	array_each(&members->hist->rows, row)
		if (members->rows[row->number].is_wanted)
			*array_push(&rows) = row->number;
	if (rows.n)
		qsort_r(rows.at, rows.n, sizeof(*rows.at), compare_counts,
			members);
	array_each(&rows, row) {
		struct members_of *of = &members->rows[*row];

		if (of->n > MEMBERS_MAX - total)
			break;
		of->is_listed = true;
		of->first = total;
		total += of->n;
		of->n = 0;
	}
	array_free(&rows);
	members->list = xcalloc(total, sizeof(*members->list));
}

struct members *members_create(const struct hist *hist, uint64_t limit)
{
	struct members *members = xcalloc(1, sizeof(*members));
	struct search search = { .members = members,
		.found = count_place,
		.lists = members };

	members->prefixes = hist->prefixes;
	members->hist = hist;
	members->rows = xcalloc(hist->rows.n, sizeof(*members->rows));
	array_each(&hist->rows, row)
		members->rows[row->number].is_wanted = !row->is_hidden &&
			MAX(row->self, row->children) >= limit;
	search_all(&search);
	choose_rows(members);
	search.found = list_place;
	search_all(&search);
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

/* --- one row's ------------------------------------------------------------ */

static void visit_place(struct search *search, uint32_t row _unused_,
	struct place place)
{
	const struct prefixes *prefixes = search->members->prefixes;
	bool is_leaf = place.branch & PREFIXES_LEAF;
	uint32_t leaf = prefixes_leaf_of(prefixes, place.branch);
	const struct stack *stack = prefixes_stack(prefixes, leaf);
	struct member member = { .branch = place.branch };

	if (is_leaf) {
		member.period = stack->period;
		member.samples = stack->samples;
	} else {
		member.period = prefixes->at.at[place.branch].period;
		member.samples = prefixes->at.at[place.branch].samples;
	}
	member.part = prefixes_part(
		prefixes, place.branch, place.is_sampled ? 0 : place.at);
	if (!is_leaf || !chain_is_empty(&member.part))
		search->visit(search->data, &member);
	if (!place.is_sampled || place.at == NOWHERE)
		return;
	member.part = prefixes_part(prefixes, place.branch, place.at);
	member.period = -member.period;
	member.samples = -member.samples;
	search->visit(search->data, &member);
}

void members_visit(const struct members *members, const struct row *row,
	members_visit_fn *visit, void *data)
{
	const struct members_of *of = &members->rows[row->number];
	struct search search = { .members = members,
		.found = visit_place,
		.visit = visit,
		.data = data };
	size_t i;

	if (!of->is_listed) {
		search.row = row;
		search_all(&search);
		return;
	}
	for (i = of->first; i < of->first + of->n; i++)
		visit_place(&search, row->number, members->list[i]);
}
