/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/counted_order.h"

#include "common/util/alloc.h"
#include "report/rows/fields.h"

/* Of what there was no memory for: last among its like. */
#define NO_FRAMES UINT64_MAX

struct ordering {
	const struct result *result;
	uint32_t *locations; /* by number: its rank among them */
	uint32_t *contexts;  /* the same */
};

/* Most stacks of one weight differ in their two innermost frames. */
struct ordered {
	uint64_t period, innermost;
	uint32_t event, number;
};

/* --- locations by what they are called ------------------------------------ */

struct named_location {
	const char *dso, *name;
	const struct location *at;
	uint32_t number;
};

/* Of one function: places in it, and what is inlined there. */
static int compare_places(const struct location *a, const struct location *b)
{
	if (a->is_inlined != b->is_inlined)
		return COMPARE(a->is_inlined, b->is_inlined);
	if (a->level != b->level)
		return COMPARE(a->level, b->level);
	if (a->number != b->number)
		return COMPARE(a->number, b->number);
	if (a->start != b->start)
		return COMPARE(a->start, b->start);
	if (a->place != b->place)
		return COMPARE(a->place, b->place);
	if (a->back != b->back)
		return COMPARE(a->back, b->back);
	return COMPARE(a->depth, b->depth);
}

static int compare_locations(const void *a, const void *b)
{
	const struct named_location *left = a, *right = b;
	int order = strcmp(left->dso, right->dso);

	if (!order)
		order = strcmp(left->name, right->name);
	return order ? order : compare_places(left->at, right->at);
}

static uint32_t *rank_locations(struct resolver *resolver)
{
	uint32_t n = resolver_n_locations(resolver), i;
	struct named_location *named = xcalloc(n + 1, sizeof(*named));
	uint32_t *ranks = xcalloc(n + 1, sizeof(*ranks));

	for (i = 0; i < n; i++) {
		const struct location *at = resolver_location(resolver, i);

		named[i] = (struct named_location){
			resolver_dso_name(resolver, at->dso_name),
			resolver_function_name(resolver, i), at, i
		};
	}
	qsort(named, n, sizeof(*named), compare_locations);
	for (i = 0; i < n; i++)
		ranks[named[i].number] = i;
	free(named);
	return ranks;
}

/* --- contexts by what they tell ------------------------------------------- */

struct named_context {
	char *comm; /* owned */
	const struct context *at;
	const uint64_t *values;
	uint32_t number;
};

static int compare_contexts(const void *a, const void *b)
{
	const struct named_context *left = a, *right = b;
	int order = strcmp(left->comm, right->comm);
	size_t i, n = MIN(left->at->n_values, right->at->n_values);

	if (!order)
		order = COMPARE(left->at->pid, right->at->pid);
	if (!order)
		order = COMPARE(left->at->tid, right->at->tid);
	for (i = 0; !order && i < n; i++)
		order = COMPARE(left->values[i], right->values[i]);
	return order;
}

static uint32_t *rank_contexts(const struct result *result)
{
	const struct stacks *stacks = &result->scan.stacks;
	uint32_t n = (uint32_t)stacks->contexts.n, i, rank = 0;
	struct named_context *named = xcalloc(n + 1, sizeof(*named));
	uint32_t *ranks = xcalloc(n + 1, sizeof(*ranks));

	for (i = 0; i < n; i++) {
		const struct context *at = &stacks->contexts.at[i];
		struct strbuf comm = { 0 };

		strbuf_puts(&comm, "");
		field_comm_text(&result->names,
			field_comm_value(&result->names, at, 0, NULL), &comm);
		named[i] = (struct named_context){
			comm.at, at, stacks_values(stacks, at), i
		};
	}
	qsort(named, n, sizeof(*named), compare_contexts);
	for (i = 0; i < n; i++) {
		rank += i && compare_contexts(&named[i - 1], &named[i]);
		ranks[named[i].number] = rank;
	}
	for (i = 0; i < n; i++)
		free(named[i].comm);
	free(named);
	return ranks;
}

/* --- stacks --------------------------------------------------------------- */

/* The sampled place is there twice, and tells nothing the second time. */
static uint64_t innermost(const struct ordering *ordering, struct chain chain)
{
	uint64_t key = ordering->locations[chain_next(&chain)];

	if (!chain_is_empty(&chain))
		chain_next(&chain);
	key <<= 32;
	return chain_is_empty(&chain)
		? key
		: key | (ordering->locations[chain_next(&chain)] + 1);
}

static int compare_chains(
	const struct ordering *ordering, struct chain a, struct chain b)
{
	while (!chain_is_empty(&a) && !chain_is_empty(&b)) {
		uint32_t left = ordering->locations[chain_next(&a)];
		uint32_t right = ordering->locations[chain_next(&b)];

		if (left != right)
			return COMPARE(left, right);
	}
	return COMPARE(!chain_is_empty(&a), !chain_is_empty(&b));
}

static int compare_ordered(const void *a, const void *b, void *data)
{
	const struct ordered *left = a, *right = b;
	const struct ordering *ordering = data;
	const struct stacks *stacks = &ordering->result->scan.stacks;
	uint32_t first, second;
	int order = 0;

	if (left->event != right->event)
		return COMPARE(left->event, right->event);
	if (left->period != right->period)
		return COMPARE(right->period, left->period);
	if (left->innermost != right->innermost)
		return COMPARE(left->innermost, right->innermost);
	if (left->innermost != NO_FRAMES)
		order = compare_chains(ordering,
			stacks_chain(stacks, left->number),
			stacks_chain(stacks, right->number));
	first = ordering->contexts[stacks_at(stacks, left->number)->context];
	second = ordering->contexts[stacks_at(stacks, right->number)->context];
	return order ? order : COMPARE(first, second);
}

static struct ordered ordered_of(const struct ordering *ordering, uint32_t number)
{
	const struct stacks *stacks = &ordering->result->scan.stacks;
	const struct stack *stack = stacks_at(stacks, number);
	const struct context *context = &stacks->contexts.at[stack->context];
	struct ordered one = { .period = stack->period,
		.event = context->event,
		.number = number };

	one.innermost = context->is_rest
		? NO_FRAMES
		: innermost(ordering, stacks_chain(stacks, number));
	return one;
}

uint32_t *counted_order_make(const struct result *result)
{
	uint32_t n = stacks_n(&result->scan.stacks), i;
	struct ordering ordering = { result, rank_locations(result->resolver),
		rank_contexts(result) };
	struct ordered *rows = xcalloc((size_t)n + 1, sizeof(*rows));
	uint32_t *order = xcalloc((size_t)n + 1, sizeof(*order));

	for (i = 0; i < n; i++)
		rows[i] = ordered_of(&ordering, i);
	qsort_r(rows, n, sizeof(*rows), compare_ordered, &ordering);
	for (i = 0; i < n; i++)
		order[i] = rows[i].number;
	free(rows);
	free(ordering.locations);
	free(ordering.contexts);
	return order;
}
