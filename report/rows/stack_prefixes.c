/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/stack_prefixes.h"

#include <endian.h>

#include "common/util/alloc.h"

/* Minimum of stacks of a prefix. Walking fewer stacks one by one is as fast. */
#define PREFIX_MIN 4u
/*
 * Bytes of a chain in one sort key. The eighth byte of the key is the number of
 * these bytes, or KEY_SIZE + 1 if more bytes follow.
 */
#define KEY_SIZE 7u

/* --- sorting -------------------------------------------------------------- */

struct chain_item {
	uint64_t key;
	const uint8_t
		*start; /* start of the chain, without the sampled frame */
	uint32_t size;
	uint32_t stack;
};

struct chain_sorting {
	bool callers_first;
	uint64_t random;
	ARRAY(struct chain_item) items;
};

/*
 * Returns a sort key: the KEY_SIZE bytes of ITEM's chain from AT on, and in the
 * lowest byte the number of these bytes; KEY_SIZE + 1 if more bytes follow.
 */
static uint64_t chain_key_at(const struct chain_sorting *sorting,
	const struct chain_item *item, uint32_t at)
{
	const uint8_t *start = item->start;
	uint32_t left = item->size - at, i;
	uint64_t key = 0;

	if (left > KEY_SIZE) {
		memcpy(&key,
			sorting->callers_first ? start + left - sizeof(key)
					       : start + at,
			sizeof(key));
		key = sorting->callers_first ? le64toh(key) : be64toh(key);
		return (key & ~UINT64_C(0xff)) | (KEY_SIZE + 1);
	}
	for (i = 0; i < left; i++)
		key |= (uint64_t)(sorting->callers_first ? start[left - 1 - i]
							 : start[at + i])
			<< (56 - 8 * i);
	return key | left;
}

static void swap_chain_items(struct chain_item *a, struct chain_item *b)
{
	struct chain_item item = *a;

	*a = *b;
	*b = item;
}

/*
 * Sorts the N items at AT by .key, and items with equal keys by the bytes of
 * their chains from NEXT on.
 */
static void sort_chain_items(struct chain_sorting *sorting,
	struct chain_item *at, size_t n, uint32_t next)
{
	while (n > 1) {
		sorting->random =
			sorting->random * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
		uint64_t key = at[(sorting->random >> 32) % n].key;
		size_t less = 0, more = n, i = 0;

		while (i < more) {
			if (at[i].key < key)
				swap_chain_items(&at[less++], &at[i++]);
			else if (at[i].key > key)
				swap_chain_items(&at[i], &at[--more]);
			else
				i++;
		}
		sort_chain_items(sorting, at, less, next);
		sort_chain_items(sorting, at + more, n - more, next);
		if ((key & 0xff) <= KEY_SIZE)
			return;
		at += less;
		n = more - less;
		for (i = 0; i < n; i++)
			at[i].key = chain_key_at(sorting, &at[i], next);
		next += KEY_SIZE;
	}
}

/* --- common bytes of neighbours ------------------------------------------ */

static uint8_t chain_byte_at(const struct chain_sorting *sorting,
	const struct chain_item *item, uint32_t at)
{
	return item->start[sorting->callers_first ? item->size - 1 - at : at];
}

/*
 * Returns whether byte AT of ITEM's chain is a boundary between two encoded
 * numbers.
 */
static bool is_number_boundary(const struct chain_sorting *sorting,
	const struct chain_item *item, uint32_t at)
{
	if (sorting->callers_first)
		return at == item->size ||
			!(chain_byte_at(sorting, item, at) & 0x80);
	return !(chain_byte_at(sorting, item, at - 1) & 0x80);
}

/*
 * Returns the number of equal bytes at the start of the chains of A and B,
 * without a partial number at the end.
 */
static uint32_t count_equal_bytes(const struct chain_sorting *sorting,
	const struct chain_item *a, const struct chain_item *b)
{
	uint32_t n = MIN(a->size, b->size), at = 0;

	while (at < n &&
		chain_byte_at(sorting, a, at) == chain_byte_at(sorting, b, at))
		at++;
	while (at &&
		(!is_number_boundary(sorting, a, at) ||
			!is_number_boundary(sorting, b, at)))
		at--;
	return at;
}

/*
 * An open prefix: a prefix whose last leaf is not known yet. .n_before is the
 * number of prefixes, and .period_before and .samples_before are the sums of
 * leaves, before the first leaf.
 */
struct open_prefix {
	uint32_t size, first;
	uint32_t n_before;
	uint64_t period_before, samples_before;
};

struct prefix_search {
	struct stack_prefixes *prefixes;
	ARRAY(struct open_prefix) open;
	uint64_t period, samples; /* sums of the leaves so far */
};

/*
 * Removes the prefixes that are longer than SIZE bytes from FINDING->open,
 * because leaf number END does not begin with these prefixes, and stores the
 * large ones in FINDING->prefixes. LAST_RET receives the shortest removed
 * prefix.
 */
static void close_longer(struct prefix_search *finding, uint32_t size,
	uint32_t end, struct open_prefix *last_ret)
{
	struct stack_prefixes *prefixes = finding->prefixes;

	while (finding->open.n &&
		finding->open.at[finding->open.n - 1].size > size) {
		struct open_prefix *last = &finding->open.at[--finding->open.n];
		uint32_t below = (uint32_t)prefixes->at.n - last->n_before;

		*last_ret = *last;
		if (end - last->first < PREFIX_MIN)
			continue;
		*array_push(&prefixes->at) = (struct stack_prefix){
			finding->period - last->period_before,
			finding->samples - last->samples_before, last->first,
			end, below, last->size
		};
	}
}

static void add_sorted_leaf(struct prefix_search *finding,
	const struct chain_item *item, uint32_t alike)
{
	struct stack_prefixes *prefixes = finding->prefixes;
	const struct stack *stack =
		stacks_at(&prefixes->scan->stacks, item->stack);
	uint32_t number = prefixes->n_leaves++;
	struct open_prefix from;

	/*
	 * The new prefix begins at the previous leaf, or where the shortest
	 * removed prefix began.
	 */
	if (number) {
		const struct stack *before =
			stack_prefixes_stack(prefixes, number - 1);

		from = (struct open_prefix){ 0, number - 1,
			(uint32_t)prefixes->at.n,
			finding->period - before->period,
			finding->samples - before->samples };
		close_longer(finding, alike, number, &from);
		from.size = alike;
		if (finding->open.at[finding->open.n - 1].size < alike)
			*array_push(&finding->open) = from;
	}
	prefixes->leaves[number] = item->stack;
	finding->period += stack->period;
	finding->samples += stack->samples;
}

/* --- creation ------------------------------------------------------------ */

static bool is_selected_stack(
	const struct stack_prefixes *prefixes, uint32_t event, uint32_t number)
{
	const struct stacks *stacks = &prefixes->scan->stacks;
	const struct context *context =
		&stacks->contexts.at[stacks_at(stacks, number)->context];

	return context->event == event && !context->is_filtered;
}

static void find_shared_prefixes(
	struct stack_prefixes *prefixes, uint32_t event)
{
	const struct stacks *stacks = &prefixes->scan->stacks;
	struct chain_sorting sorting = {
		.callers_first = prefixes->callers_first, .random = hash_seed
	};
	uint32_t n = stacks_n(stacks), i;

	for (i = 0; i < n; i++) {
		if (!is_selected_stack(prefixes, event, i))
			continue;

		struct chain chain = stacks_chain(stacks, i);

		chain_next(&chain);
		/* The first sort key is the context of the stack. */
		*array_push(&sorting.items) = (struct chain_item){
			(uint64_t)stacks_at(stacks, i)->context << 8 |
				(KEY_SIZE + 1),
			chain.at, (uint32_t)(chain.end - chain.at), i
		};
	}
	sort_chain_items(&sorting, sorting.items.at, sorting.items.n, 0);
	struct prefix_search finding = { .prefixes = prefixes };
	const struct chain_item *before = NULL;
	struct open_prefix all = { 0 };

	*array_push(&finding.open) = all;
	array_each(&sorting.items, item) {
		bool is_alike = before &&
			stacks_at(stacks, before->stack)->context ==
				stacks_at(stacks, item->stack)->context;

		add_sorted_leaf(&finding, item,
			is_alike ? count_equal_bytes(&sorting, before, item)
				 : 0);
		before = item;
	}
	close_longer(&finding, 0, prefixes->n_leaves, &all);
	n = (uint32_t)prefixes->at.n;
	*array_push(&prefixes->at) = (struct stack_prefix){ finding.period,
		finding.samples, 0, prefixes->n_leaves, n, 0 };
	array_free(&finding.open);
	array_free(&sorting.items);
}

struct stack_prefixes *stack_prefixes_create(
	const struct scan *scan, const struct stack_prefixes_request *request)
{
	struct stack_prefixes *prefixes = xcalloc(1, sizeof(*prefixes));
	uint32_t n = stacks_n(&scan->stacks), i;
	struct stack_prefix all = { 0 };
	size_t wanted = 0;

	prefixes->scan = scan;
	prefixes->callers_first = request->callers_first;
	for (i = 0; i < n; i++)
		wanted += is_selected_stack(prefixes, request->event, i);
	prefixes->leaves = xcalloc(wanted, sizeof(*prefixes->leaves));
	if (request->is_shared) {
		find_shared_prefixes(prefixes, request->event);
		return prefixes;
	}
	for (i = 0; i < n; i++) {
		if (!is_selected_stack(prefixes, request->event, i))
			continue;
		all.period += stacks_at(&scan->stacks, i)->period;
		all.samples += stacks_at(&scan->stacks, i)->samples;
		prefixes->leaves[all.end++] = i;
	}
	prefixes->n_leaves = all.end;
	*array_push(&prefixes->at) = all;
	return prefixes;
}

void stack_prefixes_destroy(struct stack_prefixes *prefixes)
{
	if (!prefixes)
		return;
	array_free(&prefixes->at);
	free(prefixes->leaves);
	free(prefixes);
}

struct chain stack_prefixes_part(
	const struct stack_prefixes *prefixes, uint32_t branch, uint32_t from)
{
	uint32_t leaf = stack_prefixes_leaf_of(prefixes, branch);
	struct chain chain =
		stacks_chain(&prefixes->scan->stacks, prefixes->leaves[leaf]);
	size_t size;

	chain_next(&chain);
	size = branch & STACK_PREFIXES_LEAF ? (size_t)(chain.end - chain.at)
					    : prefixes->at.at[branch].size;
	if (prefixes->callers_first) {
		chain.at = chain.end - size;
		chain.end -= from;
	} else {
		chain.end = chain.at + size;
		chain.at += from;
	}
	return chain;
}
