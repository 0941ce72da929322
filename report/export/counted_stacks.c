/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/counted_stacks.h"

#include "report/export/counted_order.h"

static const struct context *context_of(
	const struct stacks *stacks, uint32_t number)
{
	return &stacks->contexts.at[stacks_at(stacks, number)->context];
}

static bool is_wanted(const struct context *context)
{
	return !context->is_filtered && !context->is_dropped;
}

static void find_events(struct counted *counted)
{
	const struct stacks *stacks = &counted->result.scan.stacks;
	uint32_t n = stacks_n(stacks), i, column = 0;
	const struct context *context;

	for (i = 0; i < n; i++) {
		context = context_of(stacks, i);
		while (counted->columns.n <= context->event)
			*array_push(&counted->columns) = COUNTED_NONE;
		if (is_wanted(context))
			counted->columns.at[context->event] = 0;
	}
	for (i = 0; i < counted->columns.n; i++) {
		if (counted->columns.at[i] == COUNTED_NONE)
			continue;
		counted->columns.at[i] = column++;
		*array_push(&counted->events) = i;
	}
}

/* Branches have no callers, and are no samples. */
struct error *counted_make(const struct options *options,
	const struct counted_wish *wish, struct counted *ret)
{
	struct error *err;

	ret->shows_callers = wish->shows_callers;
	ret->options = *options;
	ret->options.view = "stdio";
	ret->options.branches = CHOICE_OFF;
	ret->options.sort = wish->keys;
	ret->options.has_full_paths = wish->has_lines;
	ret->options.graph.key =
		wish->has_lines ? BRANCH_ADDRESS : BRANCH_FUNCTION;
	err = result_count(&ret->options, &ret->result);
	if (!err)
		find_events(ret);
	if (!err && wish->has_order)
		ret->order = counted_order_make(&ret->result);
	return err;
}

void counted_deinit(struct counted *counted)
{
	array_free(&counted->events);
	array_free(&counted->columns);
	free(counted->order);
	result_deinit(&counted->result);
}

/* Of a stack with callers the sampled place is there twice. */
static struct chain frames_of(const struct stacks *stacks, uint32_t number)
{
	struct chain all = stacks_chain(stacks, number), callers = all;

	chain_next(&callers);
	return chain_is_empty(&callers) ? all : callers;
}

/* What is to be written of stack NUMBER, in some unit: its frames, and who it is. */
static uint64_t weigh(const struct stacks *stacks, uint32_t number)
{
	struct chain chain = stacks_chain(stacks, number);
	uint64_t weight = 4;

	if (!is_wanted(context_of(stacks, number)))
		return 0;
	for (; !chain_is_empty(&chain); chain_next(&chain))
		weight++;
	return weight;
}

static uint64_t weigh_all(const struct stacks *stacks)
{
	uint32_t n = stacks_n(stacks), i;
	uint64_t weight = 0;

	for (i = 0; i < n; i++)
		weight += weigh(stacks, i);
	return weight;
}

void counted_each(struct counted *counted, struct outflow *out,
	counted_take *take, void *data)
{
	const struct stacks *stacks = &counted->result.scan.stacks;
	uint32_t n = stacks_n(stacks), i;
	bool has_some = false;

	if (outflow_is_heard(out))
		out->total = weigh_all(stacks);
	for (i = 0; i < n && outflow_some(out); i++) {
		uint32_t number = counted->order ? counted->order[i] : i;
		const struct stack *stack = stacks_at(stacks, number);
		struct counted_stack one = {
			.context = context_of(stacks, number),
			.samples = stack->samples,
			.period = stack->period,
		};

		if (outflow_is_heard(out))
			out->done += weigh(stacks, number);
		if (!is_wanted(one.context))
			continue;
		if (!one.context->is_rest)
			one.chain = frames_of(stacks, number);
		take(data, &one);
		has_some = true;
	}
	if (!has_some)
		result_tell_nothing(&counted->result);
	else if (counted->shows_callers)
		result_tell_flat(&counted->result);
}

void counted_put_comm(struct counted *counted,
	const struct counted_stack *stack, struct strbuf *out)
{
	const struct field_names *names = &counted->result.names;

	field_comm_text(names,
		field_comm_value(names, stack->context, 0, NULL), out);
}

enum thread_state counted_state(
	const struct counted *counted, const struct counted_stack *stack)
{
	const struct result *result = &counted->result;
	const struct takes *takes = &result->request.takes;
	const uint64_t *values =
		stacks_values(&result->scan.stacks, stack->context);

	return takes->mode == TAKE_TIME && !stack->context->is_rest
		? (enum thread_state)
			values[takes_slot(takes, take_state, NULL)]
		: STATE_ON;
}
