/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/waits_in.h"

#include "common/util/hash.h"

/* A copy of context .of, for stacks with the user function .location. */
struct waiting_context {
	uint32_t of, location, context;
};

struct waiting {
	struct stacks *stacks;
	const struct resolver *resolver;
	ARRAY(struct waiting_context) copies;
	struct hash_index by_copy;
};

static bool is_user_location(const struct waiting *waiting, uint32_t location)
{
	char level = resolver_location(waiting->resolver, location)->level;

	return level == '.' || level == 'u';
}

/*
 * Returns the location + 1 of the innermost frame of CHAIN in user space, or 0.
 */
static uint32_t find_user_location(
	const struct waiting *waiting, struct chain chain)
{
	uint32_t location = chain_next(&chain);

	/*
	 * A chain with callers begins with a second copy of the sampled frame,
	 * which has the inlined functions that the first copy lacks.
	 */
	if (!chain_is_empty(&chain))
		location = chain_next(&chain);
	while (!is_user_location(waiting, location)) {
		if (chain_is_empty(&chain))
			return 0;
		location = chain_next(&chain);
	}
	return location + 1;
}

/* Returns the number of a copy of context OF that has LOCATION. */
static uint32_t find_waiting_context(
	struct waiting *waiting, uint32_t of, uint32_t location)
{
	struct stacks *stacks = waiting->stacks;
	struct context context = stacks->contexts.at[of];
	uint64_t hash = hash_words(of, location);

	hash_each_match(&waiting->by_copy, hash, i) {
		const struct waiting_context *copy = &waiting->copies.at[i];

		if (copy->of == of && copy->location == location)
			return copy->context;
	}
	hash_insert(&waiting->by_copy, hash, (uint32_t)waiting->copies.n);
	*array_push(&waiting->copies) = (struct waiting_context){ of, location,
		(uint32_t)stacks->contexts.n };
	context.waits_in = location;
	*array_push(&stacks->contexts) = context;
	return (uint32_t)stacks->contexts.n - 1;
}

void waits_in_store(struct scan *scan, const struct resolver *resolver)
{
	struct waiting waiting = { .stacks = &scan->stacks,
		.resolver = resolver };
	uint32_t i;

	for (i = 0; i < stacks_n(&scan->stacks); i++) {
		struct stack *stack = stacks_at(&scan->stacks, i);
		uint32_t location;

		/* A stack beyond the memory limit has no names. */
		if (scan->stacks.contexts.at[stack->context].is_rest)
			continue;
		location = find_user_location(
			&waiting, stacks_chain(&scan->stacks, i));
		if (location)
			stack->context = find_waiting_context(
				&waiting, stack->context, location);
	}
	array_free(&waiting.copies);
	hash_free(&waiting.by_copy);
}
