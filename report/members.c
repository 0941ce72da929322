/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/members.h"

#include "common/alloc.h"

/* In all lists together: 4 MB. */
#define MEMBERS_MAX ((size_t)1 << 20)

static int compare_stacks(const void *a, const void *b)
{
	const struct row *const *left = a, *const *right = b;

	if ((*left)->stacks != (*right)->stacks)
		return COMPARE((*left)->stacks, (*right)->stacks);
	return COMPARE((*left)->number, (*right)->number);
}

/* Those that stand in the fewest, as many as there is room for. */
static void choose_rows(
	const struct hist *hist, uint64_t limit, struct members *members)
{
	ARRAY(const struct row *) rows = { 0 };
	size_t total = 0;

	array_each(&hist->rows, row)
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
	members->stacks = xcalloc(total, sizeof(*members->stacks));
}

static void list_stack(const struct scan *scan, const struct hist *hist,
	uint32_t number, struct members *members)
{
	uint32_t context = stacks_at(&scan->stacks, number)->context;
	struct chain chain = stacks_chain(&scan->stacks, number);

	if (!hist_counts(hist, &scan->stacks.contexts.at[context]))
		return;
	do {
		uint32_t row = hist_find(hist, context, chain_next(&chain));
		struct members_of *of = &members->rows[row];

		if (!of->is_listed || of->last == number + 1)
			continue;
		of->last = number + 1;
		members->stacks[of->first + of->n++] = number;
	} while (hist->has_children && !chain_is_empty(&chain));
}

void members_find(const struct scan *scan, const struct hist *hist,
	uint64_t limit, struct members *ret)
{
	uint32_t n = stacks_n(&scan->stacks), i;

	ret->rows = xcalloc(hist->rows.n, sizeof(*ret->rows));
	choose_rows(hist, limit, ret);
	for (i = 0; i < n; i++)
		list_stack(scan, hist, i, ret);
}

void members_deinit(struct members *members)
{
	free(members->rows);
	free(members->stacks);
	*members = (struct members){ 0 };
}

const uint32_t *members_of(
	const struct members *members, const struct row *row, uint32_t *n_ret)
{
	const struct members_of *of = &members->rows[row->number];

	*n_ret = of->n;
	return of->is_listed ? members->stacks + of->first : NULL;
}
