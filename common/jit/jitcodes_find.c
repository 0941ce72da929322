/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the JIT code at an address at a time: of the codes that cover the
 * address and were loaded at that time or earlier, the last code in the file. A
 * runtime may reuse an address thousands of times, so the codes are searched in
 * a tree.
 */
#include "config.h"

#include "common/jit/jitcodes.h"
#include "common/jit/jitcodes_private.h"

/* JIT codes per leaf of the tree. */
#define LEAF 16u
/* Limit of tree nodes per search; only hostile files need more. */
#define NODES_MAX 4096u
/*
 * Limit of neighboring JIT codes that are checked to find the address range of
 * a result.
 */
#define BESIDE_MAX 4096u

static size_t n_sorted_jitcodes(const struct jitcodes *codes)
{
	return codes->list.n - codes->n_recent;
}

/* --- the tree --------------------------------------------------------------
 */

static struct jitcodes_hull join_hulls(
	struct jitcodes_hull a, const struct jitcodes_hull *b)
{
	a.end = MAX(a.end, b->end);
	a.since = MIN(a.since, b->since);
	a.order = MAX(a.order, b->order);
	return a;
}

static struct jitcodes_hull leaf_hull(const struct jitcodes *codes, size_t leaf)
{
	size_t end = MIN(codes->list.n, (leaf + 1) * LEAF), i;
	struct jitcodes_hull hull = { .since = UINT64_MAX };

	for (i = leaf * LEAF; i < end; i++) {
		const struct jitcode *code = &codes->list.at[i];

		hull = join_hulls(hull,
			&(struct jitcodes_hull){
				code->end, code->since, code->order });
	}
	return hull;
}

static int compare_jitcode_ends(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return COMPARE(*left, *right);
}

void jitcodes_index(struct jitcodes *codes)
{
	size_t n_leaves = 1, i;

	while (n_leaves * LEAF < codes->list.n)
		n_leaves *= 2;
	array_clear(&codes->hulls);
	for (i = 0; i < 2 * n_leaves; i++)
		array_push(&codes->hulls);
	for (i = 0; i < n_leaves; i++)
		codes->hulls.at[n_leaves + i] = leaf_hull(codes, i);
	for (i = n_leaves; i-- > 1;)
		codes->hulls.at[i] = join_hulls(
			codes->hulls.at[2 * i], &codes->hulls.at[2 * i + 1]);
	array_clear(&codes->ends);
	array_each(&codes->list, code)
		*array_push(&codes->ends) = code->end;
	array_sort(&codes->ends, compare_jitcode_ends);
}

/* --- the code --------------------------------------------------------------
 */

struct search {
	uint64_t address, time;
	size_t n_before; /* sorted codes that start at or below .address */
	size_t n_nodes;	 /* number of visited tree nodes */
	struct jitcodes_part part;
};

static bool jitcode_covers(const struct jitcode *code, uint64_t address)
{
	return code->start <= address && address < code->end;
}

static void choose_jitcode(struct search *search, struct jitcode *code)
{
	struct jitcodes_part *part = &search->part;

	if (code->since <= search->time &&
		jitcode_covers(code, search->address) &&
		(!part->code || code->order > part->code->order))
		part->code = code;
}

/*
 * Searches the JIT codes of the tree node NODE, which are the N sorted codes
 * from FIRST on. The last code is searched first.
 */
static void search_subtree(struct jitcodes *codes, struct search *search,
	size_t node, size_t first, size_t n)
{
	const struct jitcodes_hull *hull = &codes->hulls.at[node];
	const struct jitcode *best = search->part.code;
	size_t i;

	if (first >= search->n_before || hull->end <= search->address ||
		hull->since > search->time ||
		(best && hull->order < best->order) ||
		search->n_nodes++ == NODES_MAX)
		return;
	if (n > LEAF) {
		n /= 2;
		search_subtree(codes, search, 2 * node + 1, first + n, n);
		search_subtree(codes, search, 2 * node, first, n);
		return;
	}
	for (i = MIN(first + n, search->n_before); i-- > first;)
		choose_jitcode(search, &codes->list.at[i]);
}

/* --- address range of the result -------------------------------------------
 */

/*
 * Cuts search->part, the address range of the result, at CODE if the result is
 * different for the addresses of CODE: if CODE is later than the code that was
 * found, or if no code was found.
 */
static void narrow_part(struct search *search, const struct jitcode *code)
{
	struct jitcodes_part *part = &search->part;

	if (code->since > search->time || code == part->code ||
		jitcode_covers(code, search->address) ||
		(part->code && code->order < part->code->order))
		return;
	if (code->end <= search->address)
		part->start = MAX(part->start, code->end);
	else
		part->end = MIN(part->end, code->start);
}

/*
 * Cuts search->part at the JIT codes that end before search->address. If some
 * of these codes are not checked, the range begins at the nearest end of any
 * code.
 */
static void narrow_part_before(struct jitcodes *codes, struct search *search)
{
	size_t n =
		array_count_before(&codes->ends, end, *end <= search->address);
	uint64_t nearest = n ? codes->ends.at[n - 1] : 0;
	size_t i = search->n_before, n_seen = 0;

	while (i > 0 && search->part.start < nearest) {
		if (n_seen++ == BESIDE_MAX) {
			search->part.start = nearest;
			return;
		}
		narrow_part(search, &codes->list.at[--i]);
	}
}

static void narrow_part_after(struct jitcodes *codes, struct search *search)
{
	size_t i, n = n_sorted_jitcodes(codes);

	for (i = search->n_before; i < n; i++) {
		const struct jitcode *code = &codes->list.at[i];

		if (code->start >= search->part.end)
			return;
		if (i - search->n_before == BESIDE_MAX) {
			search->part.end = code->start;
			return;
		}
		narrow_part(search, code);
	}
}

struct jitcodes_part jitcodes_find(
	struct jitcodes *codes, uint64_t address, uint64_t time)
{
	const struct {
		const struct jitcode *at;
		size_t n;
	} sorted = { codes->list.at, n_sorted_jitcodes(codes) };
	struct search search = { .address = address,
		.time = time,
		.n_before = array_count_before(
			&sorted, code, code->start <= address),
		.part = { .end = UINT64_MAX } };
	size_t i;

	for (i = n_sorted_jitcodes(codes); i < codes->list.n; i++)
		choose_jitcode(&search, &codes->list.at[i]);
	if (search.n_before)
		search_subtree(codes, &search, 1, 0, codes->hulls.n / 2 * LEAF);
	if (search.part.code) {
		search.part.start = search.part.code->start;
		search.part.end = search.part.code->end;
	}
	narrow_part_before(codes, &search);
	narrow_part_after(codes, &search);
	for (i = n_sorted_jitcodes(codes); i < codes->list.n; i++)
		narrow_part(&search, &codes->list.at[i]);
	return search.part;
}
