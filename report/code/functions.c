/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/functions.h"

#include "common/util/alloc.h"

/*
 * Returns whether the build IDs A and B are equal, or A or B is unknown.
 * Different builds of a program can have different functions at the same
 * address.
 */
static bool may_be_same_build(
	const struct build_id *a, const struct build_id *b)
{
	return !a->size || !b->size || build_id_equal(a, b);
}

static struct build_id find_function_build_id(
	const struct result *result, const struct location *at)
{
	return files_build_id(
		result->inputs.at.at[at->input].files, at->number);
}

static struct function *find_sampled_function(const struct result *result,
	struct functions *functions, uint32_t location)
{
	const struct location *at =
		resolver_location(result->resolver, location);
	struct build_id build_id = find_function_build_id(result, at);
	uint64_t hash = hash_words(at->shown_as, 0);
	struct function *function;

	hash_each_match(&functions->by_shown, hash, i) {
		function = &functions->at.at[i];
		if (resolver_location(result->resolver, function->location)
					->shown_as == at->shown_as &&
			may_be_same_build(&function->build_id, &build_id))
			return function;
	}
	hash_insert(&functions->by_shown, hash, (uint32_t)functions->at.n);
	function = array_push(&functions->at);
	function->location = location;
	function->symbol = at->symbol;
	function->start = at->start;
	function->build_id = build_id;
	return function;
}

static void add_function_place(const struct result *result,
	struct functions *functions, uint32_t location,
	struct function_place place)
{
	struct function *function =
		find_sampled_function(result, functions, location);

	function->samples += place.samples;
	function->period += place.period;
	*array_push(&function->places) = place;
}

static void add_nameless_period(
	struct functions *functions, uint32_t dso_name, uint64_t period)
{
	while (functions->nameless.n <= dso_name)
		array_push(&functions->nameless);
	functions->nameless.at[dso_name] += period;
}

static void add_function_stack(const struct result *result,
	struct functions *functions, const struct stack *stack,
	uint32_t location)
{
	const struct location *at =
		resolver_location(result->resolver, location);

	if (at->symbol)
		add_function_place(result, functions, location,
			(struct function_place){
				at->place, stack->samples, stack->period });
	else
		add_nameless_period(functions, at->dso_name, stack->period);
}

static int compare_function_places(const void *a, const void *b)
{
	const struct function_place *left = a, *right = b;

	return COMPARE(left->place, right->place);
}

/* Joins the elements of .places with the same offset, and sorts .places. */
static void join_function_places(struct function *function)
{
	struct function_place *at;
	size_t kept = 0, i;

	array_sort(&function->places, compare_function_places);
	at = function->places.at;
	for (i = 1; i < function->places.n; i++) {
		if (at[i].place != at[kept].place) {
			at[++kept] = at[i];
			continue;
		}
		at[kept].samples += at[i].samples;
		at[kept].period += at[i].period;
	}
	function->places.n = kept + 1;
}

static int compare_function_periods(const void *a, const void *b)
{
	const struct function *left = a, *right = b;
	int order = COMPARE(right->period, left->period);

	if (!order)
		order = strcmp(left->symbol, right->symbol);
	return order ? order : COMPARE(left->start, right->start);
}

static void begin_event_functions(
	const struct result *result, uint32_t event, struct functions *ret)
{
	*ret = (struct functions){ .event = event,
		.samples = result->scan.by_event.at[event].samples,
		.period = result->scan.by_event.at[event].period };
}

static void finish_event_functions(struct functions *functions)
{
	array_each(&functions->at, function)
		join_function_places(function);
	array_sort(&functions->at, compare_function_periods);
	hash_free(&functions->by_shown);
}

void functions_find(
	const struct result *result, uint32_t event, struct functions *ret)
{
	const struct stacks *stacks = &result->scan.stacks;
	uint32_t n = stacks_n(stacks), i;

	begin_event_functions(result, event, ret);
	for (i = 0; i < n && ret->samples; i++) {
		const struct stack *stack = stacks_at(stacks, i);
		const struct context *context =
			&stacks->contexts.at[stack->context];
		struct chain chain = stacks_chain(stacks, i);

		if (context->event == event && !context->is_filtered &&
			!context->is_rest)
			add_function_stack(
				result, ret, stack, chain_next(&chain));
	}
	finish_event_functions(ret);
}

void functions_find_sampled(struct result *result,
	struct sample_addresses *hits, struct functions *ret)
{
	const struct filter *filter = &result->options->filter;
	bool asks_code = filter_needs_code(filter);
	uint32_t n = (uint32_t)result->inputs.events.n, i;
	size_t kept = 0;

	for (i = 0; i < n; i++)
		begin_event_functions(result, i, &ret[i]);
	array_each(&hits->at, hit) {
		if (asks_code &&
			!resolver_passes(
				result->resolver, filter, hit->location))
			continue;
		add_function_place(result, &ret[hit->event], hit->location,
			(struct function_place){
				hit->place, hit->samples, hit->period });
		hits->at.at[kept++] = *hit;
	}
	hits->at.n = kept;
	for (i = 0; i < n; i++)
		finish_event_functions(&ret[i]);
}

void functions_deinit(struct functions *functions)
{
	array_each(&functions->at, function)
		array_free(&function->places);
	array_free(&functions->at);
	array_free(&functions->nameless);
	hash_free(&functions->by_shown);
}
