/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves stacks to a table whose chains consist of location numbers. */
#include "config.h"

#include "common/util/budget.h"
#include "report/scan/stacks.h"

#include "common/util/alloc.h"
#include "report/scan/stacks_private.h"

/*
 * Writes the numbers of RUN to OUT if ROOM bytes are enough for RUN and for
 * REST, the rest of the chain; else only the last number of RUN. Returns the
 * end of the written bytes.
 */
static uint8_t *put_number_run(uint8_t *out, size_t room,
	const struct chain *rest, const uint32_t *run)
{
	size_t left = (size_t)(rest->end - rest->at) + *run;
	uint32_t i;

	if (left * CHAIN_NUMBER_SIZE > room)
		return chain_put(out, run[*run]);
	for (i = 1; i <= *run; i++)
		out = chain_put(out, run[i]);
	return out;
}

/*
 * Writes CHAIN with new NUMBERS to OUT, of CHAIN_ROOM bytes, and returns the
 * end of the written bytes.
 */
static uint8_t *renumber_chain(struct chain_raw chain,
	const struct stacks_numbers *numbers, bool has_runs, uint8_t *out)
{
	const uint8_t *room_end = has_runs ? out + CHAIN_ROOM : out;
	const uint32_t *by = numbers->second;
	uint32_t number;

	out = chain_put(out, numbers->sampled[chain_raw_next(&chain)]);
	for (; !chain_raw_is_empty(&chain); by = numbers->callers) {
		number = by[chain_raw_next(&chain)];
		if (likely(!(number & STACKS_RUN)))
			out = chain_put(out, number);
		else
			out = put_number_run(out,
				(size_t)(MAX(room_end, (const uint8_t *)out) -
					out),
				&chain.frames,
				numbers->runs + (number & ~STACKS_RUN));
	}
	return out;
}

void stacks_move(struct stacks *into, struct stacks_raw *raw,
	const struct stacks_numbers *numbers)
{
	struct stacks *from = &raw->table;
	ARRAY(uint32_t) contexts = { 0 };
	_cleanup_free_ uint32_t *moved =
		xcalloc(stacks_n(from) + 1, sizeof(*moved));
	/* Not on the stack, which may be small (ulimit -s). */
	_cleanup_free_ uint8_t *bytes = xmalloc(CHAIN_ROOM);
	uint8_t *end;
	bool has_runs = numbers->runs;
	uint32_t i, n;

	hash_free(&from->by_stack);
	array_each(&from->contexts, context)
		*array_push(&contexts) = stacks_context_with(into, context,
			stacks_values(from, context), context->n_values);
	for (i = stacks_n(from); i-- > 0;) {
		const struct stack *stack = stacks_at(from, i);
		struct chain_raw chain = stacks_raw_chain(raw, i);
		size_t size = (size_t)(chain.frames.end - chain.frames.at),
		       grown;

		end = renumber_chain(chain, numbers, has_runs, bytes);
		n = stacks_n(into);
		grown = (size_t)(end - bytes);
		moved[i] = stacks_put(
			into, stack, contexts.at[stack->context], bytes, grown);
		if (has_runs && stacks_n(into) > n)
			has_runs = grown <= size ||
				budget_reserve(numbers->budget, grown - size);
		if (i % SEGMENT_STACKS == 0)
			stacks_drop_segment(from);
	}
	stacks_move_times(into, from, moved);
	array_free(&contexts);
}
