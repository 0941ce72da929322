/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/sample_addresses.h"

#include "common/util/alloc.h"

/* What was counted right at one frame. */
struct sum {
	uint32_t event, frame, when;
	uint64_t samples, period;
};

struct sums {
	ARRAY(struct sum) at;
	struct hash_index by_frame;
};

static uint32_t find_when(struct hits *hits, const struct hit_when *like)
{
	uint64_t hash =
		hash_words(like->time, (uint64_t)like->pid << 32 | like->tid);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&hits->by_when, hash, &probe)) != HASH_NONE) {
		const struct hit_when *when = &hits->whens.at[i];

		if (when->time == like->time && when->pid == like->pid &&
			when->tid == like->tid)
			return i;
	}
	i = (uint32_t)hits->whens.n;
	hash_insert(&hits->by_when, hash, i);
	*array_push(&hits->whens) = *like;
	return i;
}

/* By context of PART; the caller's. */
static uint32_t *find_whens(struct hits *hits, const struct stacks *part)
{
	uint32_t *whens = xcalloc(part->contexts.n + 1, sizeof(*whens));
	size_t slot = hits->time ? takes_slot(hits->takes, hits->time, NULL)
				 : 0;
	size_t i;

	for (i = 0; i < part->contexts.n; i++) {
		const struct context *context = &part->contexts.at[i];
		const uint64_t *values = stacks_values(part, context);
		const struct hit_when when = {
			hits->time && values ? values[slot] : 0, context->pid,
			context->tid
		};

		whens[i] = find_when(hits, &when);
	}
	return whens;
}

static struct sum *find(struct sums *sums, const struct sum *like)
{
	uint64_t hash = hash_words(
		like->frame, (uint64_t)like->event << 32 | like->when);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&sums->by_frame, hash, &probe)) != HASH_NONE)
		if (sums->at.at[i].frame == like->frame &&
			sums->at.at[i].when == like->when &&
			sums->at.at[i].event == like->event)
			return &sums->at.at[i];
	hash_insert(&sums->by_frame, hash, (uint32_t)sums->at.n);
	*array_push(&sums->at) = *like;
	return &sums->at.at[sums->at.n - 1];
}

static void add_stack(struct sums *sums, const struct stacks *part,
	uint32_t number, const uint32_t *whens)
{
	const struct stack *stack = stacks_at(part, number);
	const struct context *context = &part->contexts.at[stack->context];
	struct chain chain = stacks_chain(part, number);
	struct sum *sum;

	if (context->is_filtered || context->is_rest || context->is_dropped)
		return;
	sum = find(sums,
		&(struct sum){ .event = context->event,
			.frame = chain_next(&chain),
			.when = whens[stack->context] });
	sum->samples += stack->samples;
	sum->period += stack->period;
}

void hits_add(struct hits *hits, const struct stacks *part,
	struct resolver *resolver)
{
	_cleanup_free_ uint32_t *whens = find_whens(hits, part);
	uint32_t n = stacks_n(part), i;
	struct sums sums = { 0 };

	for (i = 0; i < n; i++)
		add_stack(&sums, part, i, whens);
	array_each(&sums.at, sum) {
		struct resolved found = resolver_find(
			resolver, &part->frames.at[sum->frame]);
		const struct location *at =
			resolver_location(resolver, found.location);

		if (at->symbol)
			*array_push(&hits->at) = (struct hit){ sum->event,
				found.location, sum->when,
				found.address - at->start, sum->samples,
				sum->period };
	}
	array_free(&sums.at);
	hash_free(&sums.by_frame);
}

void hits_deinit(struct hits *hits)
{
	array_free(&hits->at);
	array_free(&hits->whens);
	hash_free(&hits->by_when);
}
