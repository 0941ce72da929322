/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/counted_stacks.h"

#include "common/util/alloc.h"
#include "report/rows/fields.h"

/* --- order --------------------------------------------------------------- */

/*
 * Value of ordered_stack.innermost for "[others]" (stacks beyond the limit of
 * memory); larger than that of all other stacks.
 */
#define NO_FRAMES_KEY UINT64_MAX

struct stack_order {
	const struct result *result;
	uint32_t *locations; /* for each location number: its rank by name */
	uint32_t *contexts;  /* for each context number: its rank by name */
};

/*
 * A stack to sort. .innermost has the ranks of the two innermost frames, in
 * which most stacks with the same period differ.
 */
struct ordered_stack {
	uint64_t period, innermost;
	uint32_t event, number;
};

/* --- locations by name --------------------------------------------------- */

struct named_location {
	const char *dso, *name;
	const struct location *at;
	uint32_t number;
};

static int compare_locations(const void *a, const void *b)
{
	const struct named_location *left = a, *right = b;
	const struct location *l = left->at, *r = right->at;
	int order = strcmp(left->dso, right->dso);
	size_t i;

	if (!order)
		order = strcmp(left->name, right->name);
	if (order)
		return order;
	const uint64_t keys[][2] = {
		{ l->is_inlined, r->is_inlined },
		{ (uint8_t)l->level, (uint8_t)r->level },
		{ l->number, r->number },
		{ l->start, r->start },
		{ l->place, r->place },
		{ l->back, r->back },
		{ l->depth, r->depth },
	};

	for (i = 0; i < ARRAY_SIZE(keys) && !order; i++)
		order = COMPARE(keys[i][0], keys[i][1]);
	return order;
}

static uint32_t *rank_locations(struct resolver *resolver)
{
	uint32_t n = resolver_n_locations(resolver), i;
	struct named_location *named = xcalloc(n + 1, sizeof(*named));
	uint32_t *ranks = xcalloc(n + 1, sizeof(*ranks));

	for (i = 0; i < n; i++) {
		const struct location *at = resolver_location(resolver, i);

		named[i] = (struct named_location){ resolver_dso_name(resolver,
							    at->dso_name),
			resolver_function_name(resolver, i), at, i };
	}
	qsort(named, n, sizeof(*named), compare_locations);
	for (i = 0; i < n; i++)
		ranks[named[i].number] = i;
	free(named);
	return ranks;
}

/* --- contexts ------------------------------------------------------------ */

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
		order = thread_ids_compare(&left->at->ids, &right->at->ids);
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
		named[i] = (struct named_context){ comm.at, at,
			stacks_values(stacks, at), i };
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

/* --- sorting ------------------------------------------------------------- */

/*
 * Returns the ranks of the sampled location and its caller as one number. A
 * CHAIN with callers has the sampled location twice; the second copy is
 * skipped.
 */
static uint64_t innermost_frame_key(
	const struct stack_order *order_keys, struct chain chain)
{
	uint64_t key = order_keys->locations[chain_next(&chain)];

	if (!chain_is_empty(&chain))
		chain_next(&chain);
	key <<= 32;
	return chain_is_empty(&chain)
		? key
		: key | (order_keys->locations[chain_next(&chain)] + 1);
}

static int compare_chains(
	const struct stack_order *order_keys, struct chain a, struct chain b)
{
	while (!chain_is_empty(&a) && !chain_is_empty(&b)) {
		uint32_t left = order_keys->locations[chain_next(&a)];
		uint32_t right = order_keys->locations[chain_next(&b)];

		if (left != right)
			return COMPARE(left, right);
	}
	return COMPARE(!chain_is_empty(&a), !chain_is_empty(&b));
}

static int compare_ordered(const void *a, const void *b, void *data)
{
	const struct ordered_stack *left = a, *right = b;
	const struct stack_order *order_keys = data;
	const struct stacks *stacks = &order_keys->result->scan.stacks;
	uint32_t first, second;
	int order = 0;

	if (left->event != right->event)
		return COMPARE(left->event, right->event);
	if (left->period != right->period)
		return COMPARE(right->period, left->period);
	if (left->innermost != right->innermost)
		return COMPARE(left->innermost, right->innermost);
	if (left->innermost != NO_FRAMES_KEY)
		order = compare_chains(order_keys,
			stacks_chain(stacks, left->number),
			stacks_chain(stacks, right->number));
	first = order_keys->contexts[stacks_at(stacks, left->number)->context];
	second =
		order_keys->contexts[stacks_at(stacks, right->number)->context];
	return order ? order : COMPARE(first, second);
}

/* --- stacks -------------------------------------------------------------- */

static const struct context *stack_context(
	const struct stacks *stacks, uint32_t number)
{
	return &stacks->contexts.at[stacks_at(stacks, number)->context];
}

static bool is_context_counted(const struct context *context)
{
	return !context->is_filtered;
}

static void find_counted_events(struct counted *counted)
{
	const struct stacks *stacks = &counted->result.scan.stacks;
	uint32_t n = stacks_n(stacks), i, column = 0;
	const struct context *context;

	for (i = 0; i < n; i++) {
		context = stack_context(stacks, i);
		while (counted->columns.n <= context->event)
			*array_push(&counted->columns) = COUNTED_NONE;
		if (is_context_counted(context))
			counted->columns.at[context->event] = 0;
	}
	for (i = 0; i < counted->columns.n; i++) {
		if (counted->columns.at[i] == COUNTED_NONE)
			continue;
		counted->columns.at[i] = column++;
		*array_push(&counted->events) = i;
	}
}

/* Branch stacks are disabled: a branch has no callers and is not a sample. */
struct error *counted_make(const struct options *options,
	const struct counted_config *config, struct counted *ret)
{
	struct error *err;

	ret->shows_callers = config->shows_callers;
	ret->options = *options;
	ret->options.output.view = "stdio";
	ret->options.count.branches = OPTION_OFF;
	ret->options.rows.sort = config->keys
		?: options->stacks.grouping == STYLE_FLAME_BY_PROCESS
		? "comm,pid"
		: "comm";
	ret->options.names.has_full_paths = config->has_lines;
	ret->options.graph.key =
		config->has_lines ? BRANCH_ADDRESS : BRANCH_FUNCTION;
	err = result_count(&ret->options, &ret->result);
	if (!err)
		find_counted_events(ret);
	if (!err && config->has_order) {
		/*
		 * Sort by event, then by descending period, then by names, so
		 * that the order does not depend on the order of counting.
		 */
		uint32_t n = stacks_n(&ret->result.scan.stacks), i;
		struct stack_order order_keys = { &ret->result,
			rank_locations(ret->result.resolver),
			rank_contexts(&ret->result) };
		struct ordered_stack *rows =
			xcalloc((size_t)n + 1, sizeof(*rows));
		uint32_t *order = xcalloc((size_t)n + 1, sizeof(*order));
		for (i = 0; i < n; i++) {
			const struct stacks *stacks =
				&order_keys.result->scan.stacks;
			const struct stack *stack = stacks_at(stacks, i);
			const struct context *context =
				&stacks->contexts.at[stack->context];
			struct ordered_stack one = { .period = stack->period,
				.event = context->event,
				.number = i };
			one.innermost = context->is_rest
				? NO_FRAMES_KEY
				: innermost_frame_key(
					  &order_keys, stacks_chain(stacks, i));
			rows[i] = one;
		}
		qsort_r(rows, n, sizeof(*rows), compare_ordered, &order_keys);
		for (i = 0; i < n; i++)
			order[i] = rows[i].number;
		free(rows);
		free(order_keys.locations);
		free(order_keys.contexts);
		ret->order = order;
	}
	return err;
}

void counted_deinit(struct counted *counted)
{
	array_free(&counted->events);
	array_free(&counted->columns);
	free(counted->order);
	result_deinit(&counted->result);
}

/* Passes stack NUMBER to TAKE. Returns false if a filter excludes the stack. */
static bool take_counted_stack(const struct counted *counted, uint32_t number,
	counted_take *take, void *data)
{
	const struct stacks *stacks = &counted->result.scan.stacks;
	const struct stack *stack = stacks_at(stacks, number);
	struct counted_stack one = {
		.context = stack_context(stacks, number),
		.samples = stack->samples,
		.period = stack->period,
	};

	if (!is_context_counted(one.context))
		return false;
	if (!one.context->is_rest) {
		/*
		 * A stack with callers has the sampled location twice; the
		 * first copy is skipped.
		 */
		struct chain all = stacks_chain(stacks, number), callers = all;
		chain_next(&callers);
		one.chain = chain_is_empty(&callers) ? all : callers;
	}
	take(data, &one);
	return true;
}

static uint32_t ordered_number(const struct counted *counted, uint32_t i)
{
	return counted->order ? counted->order[i] : i;
}

void counted_look(const struct counted *counted, counted_take *take, void *data)
{
	uint32_t n = stacks_n(&counted->result.scan.stacks), i;

	for (i = 0; i < n; i++)
		take_counted_stack(
			counted, ordered_number(counted, i), take, data);
}

void counted_each(struct counted *counted, struct outflow *out,
	counted_take *take, void *data)
{
	uint32_t n = stacks_n(&counted->result.scan.stacks), i;
	bool has_some = false;

	out->total = n;
	for (i = 0; i < n && outflow_some(out); i++) {
		out->done = i;
		has_some |= take_counted_stack(
			counted, ordered_number(counted, i), take, data);
	}
	if (!has_some)
		result_report_empty(&counted->result);
	else if (counted->shows_callers)
		result_report_no_callers(&counted->result);
	result_report_unmatched_transforms(&counted->result);
}

void counted_put_comm(struct counted *counted,
	const struct counted_stack *stack, struct strbuf *out)
{
	const struct field_names *names = &counted->result.names;

	field_comm_text(
		names, field_comm_value(names, stack->context, 0, NULL), out);
}

bool counted_put_group(struct counted *counted,
	const struct counted_stack *stack, struct strbuf *out)
{
	switch (counted->options.stacks.grouping) {
	case STYLE_FLAME_BY_PROCESS:
		field_process_text(&counted->result.names, stack->context, out);
		return true;
	case STYLE_FLAME_BY_THREAD:
		counted_put_comm(counted, stack, out);
		return true;
	case STYLE_FLAME_BY_NONE: break;
	}
	return false;
}

enum offcpu_state counted_state(
	const struct counted *counted, const struct counted_stack *stack)
{
	const struct result *result = &counted->result;
	const struct sample_keys *keys = &result->request.sample_keys;
	const uint64_t *values =
		stacks_values(&result->scan.stacks, stack->context);

	return keys->mode == SAMPLE_COUNT_TIME && !stack->context->is_rest
		? (enum offcpu_state)
			  values[sample_keys_slot(keys, sample_key_state, NULL)]
		: OFFCPU_STATE_ON;
}
