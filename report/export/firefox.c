/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/firefox.h"

/* Of a stack, with its place in the index. */
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

static uint32_t function_of(struct firefox_tables *tables, uint32_t number)
{
	uint64_t hash = hash_words(number, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&tables->by_function, hash, &probe)) !=
		HASH_NONE)
		if (tables->functions.at[i] == number)
			return i;
	i = (uint32_t)tables->functions.n;
	hash_insert(&tables->by_function, hash, i);
	*array_push(&tables->functions) = number;
	return i;
}

static uint32_t function_at(struct code_names *functions, uint32_t location)
{
	char name[THREAD_STATE_SIZE];

	return location < FIREFOX_MARKS
		? code_names_number(functions, location)
		: code_names_mark(functions,
			  thread_state_mark(location - FIREFOX_MARKS, name));
}

static uint32_t frame_of(struct firefox_tables *tables,
	struct code_names *functions, const struct firefox_frame *wanted)
{
	uint64_t hash = hash_words(wanted->location, wanted->inlined);
	uint32_t i, probe = hash_start(hash);
	struct firefox_frame frame = *wanted;

	while ((i = hash_next(&tables->by_location, hash, &probe)) !=
		HASH_NONE)
		if (tables->frames.at[i].location == wanted->location &&
			tables->frames.at[i].inlined == wanted->inlined)
			return i;
	frame.function = function_of(
		tables, function_at(functions, wanted->location));
	i = (uint32_t)tables->frames.n;
	hash_insert(&tables->by_location, hash, i);
	*array_push(&tables->frames) = frame;
	return i;
}

static uint32_t stack_of(struct firefox_tables *tables, struct reader *reader,
	const struct firefox_stack *wanted)
{
	uint64_t hash = hash_words(wanted->prefix, wanted->frame);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&tables->by_stack, hash, &probe)) != HASH_NONE)
		if (tables->stacks.at[i].prefix == wanted->prefix &&
			tables->stacks.at[i].frame == wanted->frame)
			return i;
	if (!reader_affords(reader, STACK_COST))
		return FIREFOX_NONE;
	i = (uint32_t)tables->stacks.n;
	hash_insert(&tables->by_stack, hash, i);
	*array_push(&tables->stacks) = *wanted;
	return i;
}

/* Whether INNER was inlined at the address of OUTER. */
static bool is_inlined_in(
	const struct location *inner, const struct location *outer)
{
	return inner->is_inlined && inner->dso == outer->dso &&
		inner->start == outer->start && inner->place == outer->place &&
		inner->depth + 1u == outer->depth;
}

/* How many functions further out are at the address of frame NUMBER. */
static uint32_t count_inlined(const struct resolver *resolver,
	const struct timeline_moment *moment, size_t number)
{
	uint32_t n = 0;

	while (number &&
		is_inlined_in(
			resolver_location(resolver, moment->frames[number]),
			resolver_location(
				resolver, moment->frames[number - 1]))) {
		number--;
		n++;
	}
	return n;
}

uint32_t firefox_stack(struct firefox_tables *tables,
	struct code_names *functions, struct reader *reader,
	const struct timeline_moment *moment)
{
	struct firefox_stack stack = { .prefix = FIREFOX_NONE };
	size_t n = moment->n + (moment->state != STATE_ON), i;

	for (i = 0; i < n; i++) {
		struct firefox_frame frame = {
			.location = FIREFOX_MARKS + moment->state
		};

		if (i < moment->n)
			frame = (struct firefox_frame){
				.location = moment->frames[i],
				.inlined = count_inlined(
					functions->resolver, moment, i),
			};
		stack.frame = frame_of(tables, functions, &frame);
		stack.prefix = stack_of(tables, reader, &stack);
		if (stack.prefix == FIREFOX_NONE)
			break;
	}
	return stack.prefix;
}

void firefox_libs_init(
	struct firefox_libs *libs, const struct code_names *functions)
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
