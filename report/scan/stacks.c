/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/stacks.h"

#include "common/maps/maps.h"
#include "common/perf/frame_origin.h"
#include "report/scan/stacks_private.h"

/*
 * Bytes that each takes at most, about, with its places in indexes; a frame's
 * becomes a location, and later, like each context, a row.
 */
#define STACK_COST 96u
#define FRAME_COST 192u
#define CONTEXT_COST 160u
#define PUT_BY 352u
/* More rows than that have no claim: most frames share a function. */
#define PUT_BY_MAX MIB(8)

void stacks_drop_segment(struct stacks *stacks)
{
	struct segment *last = &stacks->segments.at[--stacks->segments.n];

	free(last->stacks);
	strbuf_free(&last->chains);
}

void stacks_deinit(struct stacks *stacks)
{
	while (stacks->segments.n)
		stacks_drop_segment(stacks);
	array_free(&stacks->segments);
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
	return hash_words(hash,
		(uint64_t)c->input << 34 | (uint64_t)c->cpu << 2 |
			c->is_rest << 1 | c->is_filtered);
}

static bool is_same(const struct context *a, const struct context *b)
{
	return a->event == b->event && a->space == b->space &&
		a->is_rest == b->is_rest && a->comm == b->comm &&
		a->pid == b->pid && a->tid == b->tid &&
		a->cpu == b->cpu && a->input == b->input &&
		 a->is_filtered == b->is_filtered &&
		a->n_values == b->n_values;
}

static bool affords(struct stacks *stacks, uint64_t cost, uint64_t put_by)
{
	if (!stacks->reader)
		return true;
	put_by = MIN(put_by, PUT_BY_MAX - stacks->put_by);
	if (stacks->is_full || !reader_affords(stacks->reader, cost + put_by)) {
		stacks->is_full = true;
		return false;
	}
	stacks->kept += cost + put_by;
	stacks->put_by += put_by;
	return true;
}

/* Where samples are counted that nothing more is kept of. */
static uint32_t rest_of(struct stacks *stacks, const struct context *context)
{
	const struct context rest = { .event = context->event,
		.is_filtered = context->is_filtered,
		.is_rest = true };

	return stacks_context(stacks, &rest);
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
	if (!wanted.is_rest &&
		!affords(stacks, CONTEXT_COST + n * sizeof(*values), PUT_BY))
		return rest_of(stacks, context);
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

uint32_t stacks_frame_number(struct stacks *stacks, const struct frame *frame)
{
	uint64_t hash = hash_words(
		frame->ip, (uint64_t)frame->space << 8 | frame->cpumode << 1 |
			frame->is_exact);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&stacks->by_frame, hash, &probe)) != HASH_NONE) {
		const struct frame *known = &stacks->frames.at[i];

		if (known->ip == frame->ip && known->space == frame->space &&
			known->cpumode == frame->cpumode &&
			known->is_exact == frame->is_exact)
			return i;
	}
	i = (uint32_t)stacks->frames.n;
	hash_insert(&stacks->by_frame, hash, i);
	*array_push(&stacks->frames) = *frame;
	return i;
}

struct frame stacks_frame(uint32_t space, uint64_t ip, uint8_t cpumode)
{
	if (cpumode == MISC_KERNEL || cpumode == MISC_HYPERVISOR)
		space = MAPS_KERNEL;
	/* What runs in a guest isn't mapped in the process that hosts it. */
	if (cpumode == MISC_GUEST_KERNEL || cpumode == MISC_GUEST_USER)
		space = MAPS_NO_SPACE;
	return (struct frame){ ip, space, 0, cpumode, false };
}

struct frame stacks_frame_in(
	const struct context *context, uint64_t address, uint8_t cpumode)
{
	struct frame frame = stacks_frame(context->space, address, cpumode);

	frame.input = context->input;
	return frame;
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

static bool is_user(uint8_t cpumode)
{
	return cpumode == MISC_USER || cpumode == MISC_GUEST_USER;
}

bool stacks_walk(struct chain_walk *walk, uint32_t space, uint64_t entry,
	struct frame *ret)
{
	uint8_t mode;

	if (entry >= ABI_CONTEXT_FIRST) {
		mode = stacks_marker_mode(entry);
		walk->is_exact |= is_user(mode) && !is_user(walk->cpumode);
		walk->cpumode = mode;
		return false;
	}
	*ret = stacks_frame(space, entry, walk->cpumode);
	ret->is_exact = walk->is_exact;
	walk->is_exact = false;
	return true;
}

static bool is_known_marker(uint64_t marker)
{
	return marker == PERF_CONTEXT_USER || marker == PERF_CONTEXT_GUEST ||
		marker == ABI_CONTEXT_USER_DEFERRED ||
		stacks_marker_mode(marker) != MISC_USER;
}

bool stacks_chain_is_sound(const uint8_t *chain, uint64_t n)
{
	uint64_t i, entry;

	for (i = 0; i < n; i++) {
		entry = sample_entry_at(chain, i);
		if (entry >= ABI_CONTEXT_FIRST && !is_known_marker(entry))
			return false;
	}
	return true;
}

/* Where among the frames of a chain those begin that are kept. */
static uint64_t first_kept(
	const struct stacks *stacks, const struct stack_sample *sample)
{
	uint64_t frames = 0, i;

	if (!stacks->max_frames || !stacks->keeps_callers)
		return 0;
	for (i = 0; i < sample->n_chain; i++)
		frames += sample_entry_at(sample->chain, i) < ABI_CONTEXT_FIRST;
	return frames > stacks->max_frames ? frames - stacks->max_frames : 0;
}

/*
 * Only when a stack is new: its addresses become numbers of frames. A record
 * has no room for more entries than CHAIN_MAX.
 */
static size_t write_chain(struct stacks *stacks, uint32_t space,
	const struct stack_sample *sample, uint8_t out[CHAIN_ROOM])
{
	uint64_t first = first_kept(stacks, sample), seen = 0;
	uint64_t last = stacks->max_frames ? first + stacks->max_frames
					   : UINT64_MAX;
	struct chain_walk walk = { sample->cpumode, false };
	struct frame frame = stacks_frame(space, sample->ip, walk.cpumode);
	uint8_t *end = chain_put(out, stacks_frame_number(stacks, &frame));
	uint64_t i, n = MIN(sample->n_chain, (uint64_t)CHAIN_MAX);

	if (!stacks_chain_is_sound(sample->chain, sample->n_chain))
		n = 0;
	for (i = 0; i < n; i++) {
		uint64_t entry = sample_entry_at(sample->chain, i);

		if (!stacks_walk(&walk, space, entry, &frame) ||
			seen++ < first || seen > last)
			continue;
		end = chain_put(end, stacks_frame_number(stacks, &frame));
	}
	return (size_t)(end - out);
}

/*
 * Contexts have small numbers, which must not meet chains that differ in low
 * bits: so they are mixed in by a multiplication of their own.
 */
static uint64_t hash_stack(uint64_t hash, uint32_t context)
{
	return hash_words(hash, context);
}

static struct stack *find_stack(
	const struct stacks *stacks, uint64_t hash, uint32_t context)
{
	uint64_t key = hash_stack(hash, context);
	uint32_t i, probe = hash_start(key);

	while ((i = hash_next(&stacks->by_stack, key, &probe)) != HASH_NONE) {
		struct stack *stack = stacks_at(stacks, i);

		if (stack->hash == hash && stack->context == context)
			return stack;
	}
	return NULL;
}

static struct stack *new_stack(struct stacks *stacks, uint64_t hash,
	uint32_t context, const uint8_t *chain, size_t size)
{
	uint32_t number = stacks_n(stacks);
	struct segment *segment;
	struct stack *stack;

	hash_insert(&stacks->by_stack, hash_stack(hash, context), number);
	if (number % SEGMENT_STACKS == 0)
		array_push(&stacks->segments)->stacks =
			xmalloc(SEGMENT_STACKS * sizeof(*segment->stacks));
	segment = &stacks->segments.at[stacks->segments.n - 1];
	stack = &segment->stacks[segment->n++];
	*stack = (struct stack){ .hash = hash,
		.context = context,
		.chain = (uint32_t)segment->chains.n };
	strbuf_put(&segment->chains, chain, size);
	return stack;
}

void stack_sample_skip_mark(struct stack_sample *sample)
{
	struct origin_mark mark = origin_find(sample->chain, sample->n_chain);

	if (mark.at > UINT16_MAX)
		return;
	sample->mark_at = (uint16_t)mark.at;
	sample->n_marks = (uint8_t)MIN(mark.n, (uint64_t)UINT8_MAX);
}

/* As that of the same chain without its mark. */
static uint64_t hash_unmarked(const struct stack_sample *sample)
{
	uint8_t chain[RECORD_SIZE_MAX];
	size_t word = sizeof(uint64_t), before = sample->mark_at * word;
	size_t behind = before + sample->n_marks * word;
	size_t size = MIN(sample->n_chain * word, sizeof(chain));

	memcpy(chain, sample->chain, before);
	memcpy(chain + before, sample->chain + behind, size - behind);
	return hash_bytes(chain, size - (behind - before));
}

uint64_t stacks_prepare(const struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample)
{
	uint64_t hash = hash_words(sample->ip, sample->cpumode);

	if (unlikely(sample->n_marks))
		hash = hash_words(hash, hash_unmarked(sample));
	else if (sample->n_chain)
		hash = hash_words(hash,
			hash_bytes(sample->chain,
				sample->n_chain * sizeof(uint64_t)));
	hash_prefetch(&stacks->by_stack, hash_stack(hash, context));
	return hash;
}

void stacks_fetch(const struct stacks *stacks, uint32_t context, uint64_t hash)
{
	uint64_t key = hash_stack(hash, context);
	uint32_t probe = hash_start(key);
	uint32_t i = hash_next(&stacks->by_stack, key, &probe);

	if (i != HASH_NONE)
		__builtin_prefetch(stacks_at(stacks, i));
}

/* The stack of CONTEXT's event that has no chain to speak of. */
static struct stack *rest_stack(struct stacks *stacks, uint32_t context)
{
	const struct frame nowhere = { 0 };
	uint8_t chain[CHAIN_NUMBER_SIZE];
	uint32_t rest = rest_of(stacks, &stacks->contexts.at[context]);
	struct stack *stack = find_stack(stacks, 0, rest);
	uint8_t *end;

	if (stack)
		return stack;
	end = chain_put(chain, stacks_frame_number(stacks, &nowhere));
	return new_stack(stacks, 0, rest, chain, (size_t)(end - chain));
}

/*
 * What a chain costs is known when it has been written: the first one that is
 * too much leaves its frames behind.
 */
static struct stack *keep_stack(struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample, uint64_t hash)
{
	size_t n_frames = stacks->frames.n, size, n_new;
	uint8_t chain[CHAIN_ROOM];

	if (stacks->is_full || stacks->contexts.at[context].is_rest)
		return rest_stack(stacks, context);
	size = write_chain(stacks, stacks->contexts.at[context].space, sample,
		chain);
	n_new = stacks->frames.n - n_frames;
	if (!affords(stacks, STACK_COST + 2 * size + n_new * FRAME_COST,
		    n_new * PUT_BY))
		return rest_stack(stacks, context);
	return new_stack(stacks, hash, context, chain, size);
}

/* The keyed 64-bit hash stands for the chain: no second look at it. */
void stacks_add_prepared(struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample, uint64_t hash)
{
	struct stack *stack = find_stack(stacks, hash, context);

	if (unlikely(!stack))
		stack = keep_stack(stacks, context, sample, hash);
	stack->period += sample->period;
	stack->samples++;
}

void stacks_add(struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample)
{
	stacks_add_prepared(stacks, context, sample,
		stacks_prepare(stacks, context, sample));
}

void stacks_put(struct stacks *into, const struct stack *from,
	uint32_t context, const uint8_t *chain, size_t size)
{
	uint64_t hash = hash_bytes(chain, size);
	struct stack *stack = find_stack(into, hash, context);

	if (!stack)
		stack = new_stack(into, hash, context, chain, size);
	stack->period += from->period;
	stack->samples += from->samples;
}
