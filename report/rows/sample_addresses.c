/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/sample_addresses.h"

#include "common/util/alloc.h"

/*
 * The sum of the samples of one event at one frame, in one thread and time
 * interval.
 */
struct frame_sum {
	uint32_t event, frame, when;
	uint64_t samples, period;
};

struct frame_sums {
	ARRAY(struct frame_sum) at;
	struct hash_index by_frame;
};

static uint32_t find_thread_time(
	struct sample_addresses *hits, const struct sample_thread_time *like)
{
	uint64_t hash = hash_words(like->time, thread_ids_hash(&like->ids));
	uint32_t n = (uint32_t)hits->whens.n;

	hash_each_match(&hits->by_when, hash, i) {
		const struct sample_thread_time *when = &hits->whens.at[i];

		if (when->time == like->time &&
			!thread_ids_compare(&when->ids, &like->ids))
			return i;
	}
	hash_insert(&hits->by_when, hash, n);
	*array_push(&hits->whens) = *like;
	return n;
}

/*
 * Returns an array with the index in HITS->whens of the thread and time of each
 * context of PART. The caller frees the array.
 */
static uint32_t *find_context_times(
	struct sample_addresses *hits, const struct stacks *part)
{
	uint32_t *whens = xcalloc(part->contexts.n + 1, sizeof(*whens));
	size_t slot = hits->time
		? sample_keys_slot(hits->sample_keys, hits->time, NULL)
		: 0;
	size_t i;

	for (i = 0; i < part->contexts.n; i++) {
		const struct context *context = &part->contexts.at[i];
		const uint64_t *values = stacks_values(part, context);
		const struct sample_thread_time when = {
			hits->time && values ? values[slot] : 0, context->ids
		};

		whens[i] = find_thread_time(hits, &when);
	}
	return whens;
}

static struct frame_sum *find_frame_sum(
	struct frame_sums *sums, const struct frame_sum *like)
{
	uint64_t hash = hash_words(
		like->frame, (uint64_t)like->event << 32 | like->when);

	hash_each_match(&sums->by_frame, hash, i)
		if (sums->at.at[i].frame == like->frame &&
			sums->at.at[i].when == like->when &&
			sums->at.at[i].event == like->event)
			return &sums->at.at[i];
	hash_insert(&sums->by_frame, hash, (uint32_t)sums->at.n);
	*array_push(&sums->at) = *like;
	return &sums->at.at[sums->at.n - 1];
}

/* Returns the sum that stack NUMBER was added to, or HASH_NONE. */
static uint32_t add_stack_sum(struct frame_sums *sums,
	const struct stacks *part, uint32_t number, const uint32_t *whens)
{
	const struct stack *stack = stacks_at(part, number);
	const struct context *context = &part->contexts.at[stack->context];
	struct chain chain = stacks_chain(part, number);
	struct frame_sum *sum;

	if (context->is_filtered || context->is_rest || context->is_dropped)
		return HASH_NONE;
	sum = find_frame_sum(sums,
		&(struct frame_sum){ .event = context->event,
			.frame = chain_next(&chain),
			.when = whens[stack->context] });
	sum->samples += stack->samples;
	sum->period += stack->period;
	return (uint32_t)(sum - sums->at.at);
}

/*
 * Fills .by_sample for the samples of PART. BY_STACK has the sum of each stack,
 * ADDRESSES the element of HITS->at of each sum.
 */
static void find_sample_addresses(struct sample_addresses *hits,
	const struct stacks *part, const uint32_t *by_stack,
	const uint32_t *addresses)
{
	array_each(&part->times, time) {
		uint32_t sum = time->stack == HASH_NONE ? HASH_NONE
							: by_stack[time->stack];

		*array_push(&hits->by_sample) =
			sum == HASH_NONE ? HASH_NONE : addresses[sum];
	}
}

void sample_addresses_add(struct sample_addresses *hits,
	const struct stacks *part, struct resolver *resolver)
{
	_cleanup_free_ uint32_t *whens = find_context_times(hits, part);
	uint32_t n = stacks_n(part), i;
	_cleanup_free_ uint32_t *by_stack = xcalloc(n + 1, sizeof(*by_stack));
	struct frame_sums sums = { 0 };
	uint32_t *addresses;

	for (i = 0; i < n; i++)
		by_stack[i] = add_stack_sum(&sums, part, i, whens);
	addresses = xcalloc(sums.at.n + 1, sizeof(*addresses));
	array_each(&sums.at, sum) {
		struct resolved found =
			resolver_find(resolver, &part->frames.at[sum->frame]);
		const struct location *at =
			resolver_location(resolver, found.location);

		addresses[sum - sums.at.at] =
			at->symbol ? (uint32_t)hits->at.n : HASH_NONE;
		if (at->symbol)
			*array_push(&hits->at) =
				(struct sample_address){ sum->event,
					found.location, sum->when,
					found.address - at->start, sum->samples,
					sum->period };
	}
	find_sample_addresses(hits, part, by_stack, addresses);
	free(addresses);
	array_free(&sums.at);
	hash_free(&sums.by_frame);
}

void sample_addresses_deinit(struct sample_addresses *hits)
{
	array_free(&hits->at);
	array_free(&hits->by_sample);
	array_free(&hits->whens);
	hash_free(&hits->by_when);
}
