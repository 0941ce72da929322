/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/firefox.h"

/* Bytes of a stack and its slot in the index. */
#define STACK_COST 64u

void firefox_tables_deinit(struct firefox_tables *tables)
{
	array_free(&tables->frames);
	array_free(&tables->functions);
	array_free(&tables->stacks);
	hash_free(&tables->by_location);
	hash_free(&tables->by_function);
	hash_free(&tables->by_stack);
}

static uint32_t table_function_number(
	struct firefox_tables *tables, uint32_t number)
{
	uint64_t hash = hash_words(number, 0);
	uint32_t n = (uint32_t)tables->functions.n;

	hash_each_match(&tables->by_function, hash, i)
		if (tables->functions.at[i] == number)
			return i;
	hash_insert(&tables->by_function, hash, n);
	*array_push(&tables->functions) = number;
	return n;
}

static uint32_t location_function_number(
	struct function_numbers *functions, uint32_t location)
{
	char name[THREAD_STATE_SIZE];

	return location < FIREFOX_MARKS
		? function_numbers_find(functions, location)
		: function_numbers_find_mark(functions,
			  thread_state_mark(location - FIREFOX_MARKS, name));
}

static uint32_t find_firefox_frame(struct firefox_tables *tables,
	struct function_numbers *functions, const struct firefox_frame *wanted)
{
	uint64_t hash = hash_words(wanted->location, wanted->inlined);
	uint32_t n = (uint32_t)tables->frames.n;
	struct firefox_frame frame = *wanted;

	hash_each_match(&tables->by_location, hash, i)
		if (tables->frames.at[i].location == wanted->location &&
			tables->frames.at[i].inlined == wanted->inlined)
			return i;
	frame.function = table_function_number(
		tables, location_function_number(functions, wanted->location));
	hash_insert(&tables->by_location, hash, n);
	*array_push(&tables->frames) = frame;
	return n;
}

static uint32_t find_firefox_stack(struct firefox_tables *tables,
	const struct input *input, const struct firefox_stack *wanted)
{
	uint64_t hash = hash_words(wanted->prefix, wanted->frame);
	uint32_t n = (uint32_t)tables->stacks.n;

	hash_each_match(&tables->by_stack, hash, i)
		if (tables->stacks.at[i].prefix == wanted->prefix &&
			tables->stacks.at[i].frame == wanted->frame)
			return i;
	if (!input_reserve(input, STACK_COST))
		return FIREFOX_NONE;
	hash_insert(&tables->by_stack, hash, n);
	*array_push(&tables->stacks) = *wanted;
	return n;
}

/* Returns whether INNER was inlined into OUTER, at the same address. */
static bool is_location_inlined_in(
	const struct location *inner, const struct location *outer)
{
	return inner->is_inlined && inner->dso == outer->dso &&
		inner->start == outer->start && inner->place == outer->place &&
		inner->depth + 1u == outer->depth;
}

/* Returns the number of outer functions at the address of frame NUMBER. */
static uint32_t count_inlining_functions(const struct resolver *resolver,
	const struct timeline_moment *moment, size_t number)
{
	uint32_t n = 0;

	while (number &&
		is_location_inlined_in(
			resolver_location(resolver, moment->frames[number]),
			resolver_location(
				resolver, moment->frames[number - 1]))) {
		number--;
		n++;
	}
	return n;
}

uint32_t firefox_stack(struct firefox_tables *tables,
	struct function_numbers *functions, const struct input *input,
	const struct timeline_moment *moment)
{
	struct firefox_stack stack = { .prefix = FIREFOX_NONE };
	size_t n = moment->n + (moment->state != STATE_ON), i;

	for (i = 0; i < n; i++) {
		struct firefox_frame frame = { .location = FIREFOX_MARKS +
				moment->state };

		if (i < moment->n)
			frame = (struct firefox_frame){
				.location = moment->frames[i],
				.inlined = count_inlining_functions(
					functions->resolver, moment, i),
			};
		stack.frame = find_firefox_frame(tables, functions, &frame);
		stack.prefix = find_firefox_stack(tables, input, &stack);
		if (stack.prefix == FIREFOX_NONE)
			break;
	}
	return stack.prefix;
}

void firefox_libs_init(
	struct firefox_libs *libs, const struct function_numbers *functions)
{
	ARRAY(uint32_t) by_name = { 0 };

	*libs = (struct firefox_libs){ 0 };
	array_each(&functions->at, function) {
		uint32_t *lib;

		while (by_name.n <= function->dso_name)
			*array_push(&by_name) = FIREFOX_NONE;
		lib = &by_name.at[function->dso_name];
		if (function->has_dso && *lib == FIREFOX_NONE) {
			*lib = (uint32_t)libs->at.n;
			*array_push(&libs->at) = function;
		}
		*array_push(&libs->by_function) = *lib;
	}
	array_free(&by_name);
}

void firefox_libs_deinit(struct firefox_libs *libs)
{
	array_free(&libs->at);
	array_free(&libs->by_function);
}
