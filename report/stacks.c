/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/stacks.h"

#include "common/maps.h"

void stacks_deinit(struct stacks *stacks)
{
	array_free(&stacks->stacks);
	array_free(&stacks->chains);
	array_free(&stacks->frames);
	array_free(&stacks->contexts);
	array_free(&stacks->values);
	hash_free(&stacks->by_stack);
	hash_free(&stacks->by_frame);
	hash_free(&stacks->by_context);
}

static uint64_t hash_context(const struct context *c)
{
	uint64_t hash = hash_words(
		(uint64_t)c->space << 32 | c->comm, c->event);

	hash = hash_words(hash, (uint64_t)c->pid << 32 | c->tid);
	return hash_words(hash, (uint64_t)c->cpu << 1 | c->is_filtered);
}

static bool is_same(const struct context *a, const struct context *b)
{
	return a->event == b->event && a->space == b->space &&
		a->comm == b->comm && a->pid == b->pid && a->tid == b->tid &&
		a->cpu == b->cpu && a->is_filtered == b->is_filtered &&
		a->n_values == b->n_values;
}

uint32_t stacks_context_with(struct stacks *stacks,
	const struct context *context, const uint64_t *values, size_t n)
{
	struct context wanted = *context;
	uint64_t hash;
	uint32_t i, probe;
	size_t j;

	wanted.n_values = (uint8_t)n;
	wanted.values = stacks->values.n;
	hash = hash_context(&wanted);
	for (j = 0; j < n; j++)
		hash = hash_words(hash, values[j]);
	probe = hash_start(hash);
	while ((i = hash_next(&stacks->by_context, hash, &probe)) !=
		HASH_NONE) {
		const struct context *known = &stacks->contexts.at[i];

		if (is_same(known, &wanted) &&
			(!n || !memcmp(stacks->values.at + known->values,
				       values, n * sizeof(*values))))
			return i;
	}
	i = (uint32_t)stacks->contexts.n;
	hash_insert(&stacks->by_context, hash, i);
	for (j = 0; j < n; j++)
		*array_push(&stacks->values) = values[j];
	*array_push(&stacks->contexts) = wanted;
	return i;
}

uint32_t stacks_context(struct stacks *stacks, const struct context *context)
{
	return stacks_context_with(stacks, context, NULL, 0);
}

static uint32_t intern_frame(struct stacks *stacks, struct frame frame)
{
	uint64_t hash = hash_words(
		frame.ip, (uint64_t)frame.space << 8 | frame.cpumode);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&stacks->by_frame, hash, &probe)) != HASH_NONE) {
		const struct frame *known = &stacks->frames.at[i];

		if (known->ip == frame.ip && known->space == frame.space &&
			known->cpumode == frame.cpumode)
			return i;
	}
	i = (uint32_t)stacks->frames.n;
	hash_insert(&stacks->by_frame, hash, i);
	*array_push(&stacks->frames) = frame;
	return i;
}

struct frame stacks_frame(uint32_t space, uint64_t ip, uint8_t cpumode)
{
	if (cpumode == MISC_KERNEL || cpumode == MISC_HYPERVISOR)
		space = MAPS_KERNEL;
	/* What runs in a guest isn't mapped in the process that hosts it. */
	if (cpumode == MISC_GUEST_KERNEL || cpumode == MISC_GUEST_USER)
		space = MAPS_NO_SPACE;
	return (struct frame){ ip, space, cpumode };
}

uint8_t stacks_marker_mode(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_HV: return MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL: return MISC_KERNEL;
	case PERF_CONTEXT_GUEST_KERNEL: return MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER: return MISC_GUEST_USER;
	default: return MISC_USER;
	}
}

static bool is_known_marker(uint64_t marker)
{
	return marker == PERF_CONTEXT_USER || marker == PERF_CONTEXT_GUEST ||
		marker == ABI_CONTEXT_USER_DEFERRED ||
		stacks_marker_mode(marker) != MISC_USER;
}

bool stacks_chain_is_sound(const struct sample *sample)
{
	uint64_t i, entry;

	for (i = 0; i < sample->n_chain; i++) {
		entry = sample_chain_entry(sample, i);
		if (entry >= ABI_CONTEXT_FIRST && !is_known_marker(entry))
			return false;
	}
	return true;
}

/* Only when a stack is new: its addresses become frame numbers. */
static uint32_t store_chain(struct stacks *stacks, uint32_t space,
	const struct sample *sample, bool has_chain)
{
	size_t before = stacks->chains.n;
	uint8_t cpumode = sample->cpumode;
	uint64_t i;

	*array_push(&stacks->chains) =
		intern_frame(
			stacks, stacks_frame(space, sample->ip, cpumode));
	has_chain = has_chain && stacks_chain_is_sound(sample);
	for (i = 0; has_chain && i < sample->n_chain; i++) {
		uint64_t entry = sample_chain_entry(sample, i);

		if (entry >= ABI_CONTEXT_FIRST)
			cpumode = stacks_marker_mode(entry);
		else
			*array_push(&stacks->chains) =
				intern_frame(stacks,
				stacks_frame(space, entry, cpumode));
	}
	return (uint32_t)(stacks->chains.n - before);
}

/*
 * The keyed 64-bit hash stands for the stack: no second look at the chain.
 * The context is mixed in first, spread over all bits, so that contexts with
 * small numbers don't meet chains that differ in low bits.
 */
static uint64_t hash_stack(
	uint32_t context, const struct sample *sample, bool has_chain)
{
	uint64_t hash = hash_words(context, sample->cpumode), i;

	hash = hash_words(hash, sample->ip);
	for (i = 0; has_chain && i < sample->n_chain; i++)
		hash = hash_fold(hash ^ sample_chain_entry(sample, i),
			UINT64_C(0x9e3779b97f4a7c15) ^ hash_seed);
	return hash_words(hash, i);
}

static struct stack *find_stack(
	const struct stacks *stacks, uint64_t hash, uint32_t context)
{
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&stacks->by_stack, hash, &probe)) != HASH_NONE)
		if (stacks->stacks.at[i].hash == hash &&
			stacks->stacks.at[i].context == context)
			return &stacks->stacks.at[i];
	return NULL;
}

static struct stack *new_stack(
	struct stacks *stacks, uint64_t hash, uint32_t context)
{
	struct stack *stack;

	hash_insert(&stacks->by_stack, hash, (uint32_t)stacks->stacks.n);
	stack = array_push(&stacks->stacks);
	stack->hash = hash;
	stack->context = context;
	stack->frames = stacks->chains.n;
	return stack;
}

void stacks_add(struct stacks *stacks, uint32_t context,
	const struct sample *sample, bool has_chain)
{
	uint64_t hash = hash_stack(context, sample, has_chain);
	struct stack *stack = find_stack(stacks, hash, context);

	if (unlikely(!stack)) {
		stack = new_stack(stacks, hash, context);
		stack->n = store_chain(stacks,
			stacks->contexts.at[context].space, sample, has_chain);
	}
	stack->period += sample->period;
	stack->samples++;
}

/* Tables of different workers number frames and contexts differently. */
static void merge_stack(struct stacks *into, const struct stack *other,
	const uint32_t *chain, const uint32_t *frames, uint32_t context)
{
	uint64_t hash = hash_words(context, other->n);
	struct stack *stack;
	uint32_t i;

	for (i = 0; i < other->n; i++)
		hash = hash_words(hash, frames[chain[i]]);
	stack = find_stack(into, hash, context);
	if (!stack) {
		stack = new_stack(into, hash, context);
		stack->n = other->n;
		for (i = 0; i < other->n; i++)
			*array_push(&into->chains) = frames[chain[i]];
	}
	stack->period += other->period;
	stack->samples += other->samples;
}

void stacks_merge(struct stacks *into, const struct stacks *from)
{
	ARRAY(uint32_t) contexts = { 0 };
	ARRAY(uint32_t) frames = { 0 };

	array_each(&from->contexts, context)
		*array_push(&contexts) = stacks_context_with(into, context,
			stacks_values(from, context), context->n_values);
	array_each(&from->frames, frame)
		*array_push(&frames) = intern_frame(into, *frame);
	array_each(&from->stacks, other)
		merge_stack(into, other, from->chains.at + other->frames,
			frames.at, contexts.at[other->context]);
	array_free(&contexts);
	array_free(&frames);
}
