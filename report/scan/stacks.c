/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/stacks.h"

#include "common/maps/maps.h"
#include "common/perf/frame_origin.h"
#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "report/scan/stacks_private.h"

/*
 * Approximate memory of a stack, frame, context and row in bytes, with hash
 * slots. A frame becomes a location, and each frame and context later becomes a
 * row.
 */
#define STACK_COST 96u
#define FRAME_COST 192u
#define CONTEXT_COST 192u
#define ROWS_COST 352u
/* Limit of the memory reserved for rows: most frames share a function. */
#define ROWS_COST_MAX MIB(8)
/*
 * Size of a buffer for usual chains, in bytes. Larger buffers are allocated,
 * because the stack of a thread may be small (ulimit -s).
 */
#define USUAL_CHAIN_SIZE KIB(4)

void stacks_drop_segment(struct stacks *stacks)
{
	struct stacks_segment *last =
		&stacks->segments.at[--stacks->segments.n];

	free(last->stacks);
	strbuf_free(&last->chains);
}

void stacks_deinit(struct stacks *stacks)
{
	while (stacks->segments.n)
		stacks_drop_segment(stacks);
	array_free(&stacks->segments);
	array_free(&stacks->times);
	array_free(&stacks->contexts);
	array_free(&stacks->values);
	array_free(&stacks->functions);
	hash_free(&stacks->by_stack);
	hash_free(&stacks->by_context);
}

void stacks_raw_deinit(struct stacks_raw *stacks)
{
	stacks_deinit(&stacks->table);
	array_free(&stacks->frames);
	hash_free(&stacks->by_frame);
}

/* Returns whether context NUMBER is CONTEXT with N VALUES. */
static bool has_context(const struct stacks *stacks, uint32_t number,
	const struct context *context, const uint64_t *values, size_t n)
{
	const struct context *known = &stacks->contexts.at[number];

	return known->event == context->event &&
		known->space == context->space &&
		known->is_rest == context->is_rest &&
		known->comm == context->comm &&
		!thread_ids_compare(&known->ids, &context->ids) &&
		known->cpu == context->cpu && known->input == context->input &&
		known->is_filtered == context->is_filtered &&
		known->n_values == n &&
		(!n ||
			!memcmp(stacks->values.at + known->values, values,
				n * sizeof(*values)));
}

static bool reserve_stack_memory(
	struct stacks *stacks, uint64_t cost, uint64_t reserved)
{
	reserved = MIN(reserved, ROWS_COST_MAX - stacks->reserved);
	if (stacks->is_full ||
		!budget_reserve(stacks->budget, cost + reserved)) {
		stacks->is_full = true;
		return false;
	}
	stacks->kept += cost + reserved;
	stacks->reserved += reserved;
	return true;
}

/*
 * Returns the number of the context for all samples of CONTEXT's event whose
 * stacks are not stored.
 */
static uint32_t intern_rest_context(
	struct stacks *stacks, const struct context *context)
{
	const struct context rest = { .event = context->event,
		.is_filtered = context->is_filtered,
		.is_rest = true };

	return stacks_context(stacks, &rest);
}

uint32_t stacks_context_with(struct stacks *stacks,
	const struct context *context, const uint64_t *values, size_t n)
{
	struct context added;
	uint64_t hash;
	uint32_t number = (uint32_t)stacks->contexts.n;
	size_t j;

	if (stacks->last_context < number &&
		has_context(stacks, stacks->last_context, context, values, n))
		return stacks->last_context;
	hash = hash_words(
		(uint64_t)context->space << 32 | context->comm, context->event);
	hash = hash_words(hash, thread_ids_hash(&context->ids));
	hash = hash_words(hash,
		(uint64_t)context->input << 34 | (uint64_t)context->cpu << 2 |
			context->is_rest << 1 | context->is_filtered);
	for (j = 0; j < n; j++)
		hash = hash_words(hash, values[j]);
	hash_each_match(&stacks->by_context, hash, i)
		if (has_context(stacks, i, context, values, n))
			return stacks->last_context = i;
	if (!context->is_rest &&
		!reserve_stack_memory(
			stacks, CONTEXT_COST + n * sizeof(*values), ROWS_COST))
		return intern_rest_context(stacks, context);
	hash_insert(&stacks->by_context, hash, number);
	added = *context;
	added.n_values = (uint8_t)n;
	added.values = stacks->values.n;
	for (j = 0; j < n; j++)
		*array_push(&stacks->values) = values[j];
	*array_push(&stacks->contexts) = added;
	return stacks->last_context = number;
}

uint32_t stacks_context(struct stacks *stacks, const struct context *context)
{
	return stacks_context_with(stacks, context, NULL, 0);
}

uint32_t stacks_add_context(struct stacks *stacks,
	const struct context *context, struct context_functions functions)
{
	while (stacks->functions.n < stacks->contexts.n)
		array_push(&stacks->functions);
	*array_push(&stacks->functions) = functions;
	*array_push(&stacks->contexts) = *context;
	return (uint32_t)stacks->contexts.n - 1;
}

uint32_t stacks_frame_number(
	struct stacks_raw *stacks, const struct frame *frame)
{
	uint64_t hash = hash_words(frame->ip,
		(uint64_t)frame->space << 8 | frame->cpumode << 1 |
			frame->is_exact);
	uint32_t n = (uint32_t)stacks->frames.n;

	hash_each_match(&stacks->by_frame, hash, i) {
		const struct frame *known = &stacks->frames.at[i];

		if (known->ip == frame->ip && known->space == frame->space &&
			known->cpumode == frame->cpumode &&
			known->is_exact == frame->is_exact)
			return i;
	}
	hash_insert(&stacks->by_frame, hash, n);
	*array_push(&stacks->frames) = *frame;
	return n;
}

struct frame stacks_frame(uint32_t space, uint64_t ip, uint8_t cpumode)
{
	if (cpumode == MISC_KERNEL || cpumode == MISC_HYPERVISOR)
		space = MAPS_KERNEL;
	/* Guest code is not mapped in the host's process. */
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

static bool is_user_mode(uint8_t cpumode)
{
	return cpumode == MISC_USER || cpumode == MISC_GUEST_USER;
}

bool stacks_walk(struct stacks_walk *walk, uint32_t space, uint64_t entry,
	struct frame *ret)
{
	uint8_t mode;

	if (entry >= ABI_CONTEXT_FIRST) {
		mode = stacks_marker_mode(entry);
		walk->is_exact |=
			is_user_mode(mode) && !is_user_mode(walk->cpumode);
		walk->cpumode = mode;
		return false;
	}
	*ret = stacks_frame(space, entry, walk->cpumode);
	ret->is_exact = walk->is_exact;
	walk->is_exact = false;
	return true;
}

bool stacks_chain_is_valid(const uint8_t *chain, uint64_t n)
{
	uint64_t i, entry;

	for (i = 0; i < n; i++) {
		entry = sample_entry_at(chain, i);
		if (likely(entry < ABI_CONTEXT_FIRST))
			continue;
		if (entry != PERF_CONTEXT_USER && entry != PERF_CONTEXT_GUEST &&
			entry != ABI_CONTEXT_USER_DEFERRED &&
			stacks_marker_mode(entry) == MISC_USER)
			return false;
	}
	return true;
}

/*
 * Encodes the chain of SAMPLE to OUT, as in chain.h: addresses become frame
 * numbers. OUT has chain_room() bytes. Returns the size in bytes. A record
 * cannot have more than CHAIN_MAX entries.
 */
static size_t encode_chain(struct stacks_raw *stacks, uint32_t space,
	const struct stack_sample *sample, uint8_t *out)
{
	/* the stored frames of the chain */
	uint64_t first = 0, last = UINT64_MAX, frames = 0, seen = 0;
	struct stacks_walk walk = { sample->cpumode, false };
	struct frame frame = stacks_frame(space, sample->ip, walk.cpumode);
	uint8_t *end = chain_put(out, stacks_frame_number(stacks, &frame));
	uint64_t i, n = MIN(sample->n_chain, (uint64_t)CHAIN_MAX);

	if (stacks->max_frames && stacks->keeps_callers) {
		for (i = 0; i < sample->n_chain; i++)
			frames += sample_entry_at(sample->chain, i) <
				ABI_CONTEXT_FIRST;
		first = frames - MIN(frames, stacks->max_frames);
	}
	if (stacks->max_frames)
		last = first + stacks->max_frames;
	if (!stacks_chain_is_valid(sample->chain, sample->n_chain))
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
 * Mixes CONTEXT into HASH by a multiplication: context numbers are small, and
 * the hashes of some chains differ only in low bits.
 */
static uint64_t hash_stack(uint64_t hash, uint32_t context)
{
	return hash_words(hash, context);
}

static struct stack *find_counted_stack(
	const struct stacks *stacks, uint64_t hash, uint32_t context)
{
	uint64_t key = hash_stack(hash, context);

	hash_each_match(&stacks->by_stack, key, i) {
		struct stack *stack = stacks_at(stacks, i);

		if (stack->hash == hash && stack->context == context)
			return stack;
	}
	return NULL;
}

static struct stack *add_new_stack(struct stacks *stacks, uint64_t hash,
	uint32_t context, const uint8_t *chain, size_t size)
{
	uint32_t number = stacks_n(stacks);
	struct stacks_segment *segment;
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
	struct frame_origin_mark mark =
		frame_origin_find(sample->chain, sample->n_chain);

	if (mark.at > UINT16_MAX)
		return;
	sample->mark_at = (uint16_t)mark.at;
	sample->n_marks = (uint8_t)MIN(mark.n, (uint64_t)UINT8_MAX);
}

/* Returns the hash of SAMPLE's chain without the origin mark. */
static uint64_t hash_unmarked(const struct stack_sample *sample)
{
	uint8_t usual[USUAL_CHAIN_SIZE];
	size_t word = sizeof(uint64_t), before = sample->mark_at * word;
	size_t behind = before + sample->n_marks * word;
	size_t size = MIN(sample->n_chain * word, (size_t)RECORD_SIZE_MAX);
	_cleanup_free_ uint8_t *large =
		size > sizeof(usual) ? xmalloc(size) : NULL;
	uint8_t *chain = large ?: usual;

	memcpy(chain, sample->chain, before);
	memcpy(chain + before, sample->chain + behind, size - behind);
	return hash_bytes(chain, size - (behind - before));
}

uint64_t stacks_prepare(const struct stacks_raw *stacks, uint32_t context,
	const struct stack_sample *sample)
{
	uint64_t hash = hash_words(sample->ip, sample->cpumode);

	if (unlikely(sample->n_marks))
		hash = hash_words(hash, hash_unmarked(sample));
	else if (sample->n_chain)
		hash = hash_words(hash,
			hash_bytes(sample->chain,
				sample->n_chain * sizeof(uint64_t)));
	hash_prefetch(&stacks->table.by_stack, hash_stack(hash, context));
	return hash;
}

void stacks_fetch(
	const struct stacks_raw *stacks, uint32_t context, uint64_t hash)
{
	uint64_t key = hash_stack(hash, context);

	hash_each_match(&stacks->table.by_stack, key, i) {
		__builtin_prefetch(stacks_at(&stacks->table, i));
		break;
	}
}

/*
 * Returns the stack that counts all samples of CONTEXT's event whose stacks are
 * not stored. Its chain is one frame without an address.
 */
static struct stack *find_rest_stack(
	struct stacks_raw *stacks, uint32_t context)
{
	const struct frame nowhere = { 0 };
	struct stacks *table = &stacks->table;
	uint8_t chain[CHAIN_NUMBER_SIZE];
	uint32_t rest =
		intern_rest_context(table, &table->contexts.at[context]);
	struct stack *stack = find_counted_stack(table, 0, rest);
	uint8_t *end;

	if (stack)
		return stack;
	end = chain_put(chain, stacks_frame_number(stacks, &nowhere));
	return add_new_stack(table, 0, rest, chain, (size_t)(end - chain));
}

/* Returns the largest size of SAMPLE's encoded chain, in bytes. */
static size_t chain_room(const struct stack_sample *sample)
{
	size_t n = (size_t)MIN(sample->n_chain, (uint64_t)CHAIN_MAX);

	return (n + 1) * CHAIN_NUMBER_SIZE;
}

/*
 * Stores a new stack. The size of a chain is known only when the chain is
 * encoded, so the frames of the first chain beyond the memory limit stay in
 * STACKS.
 */
static struct stack *store_stack(struct stacks_raw *stacks, uint32_t context,
	const struct stack_sample *sample, uint64_t hash)
{
	struct stacks *table = &stacks->table;
	size_t n_frames = stacks->frames.n, size, n_new;
	uint8_t usual[USUAL_CHAIN_SIZE];
	_cleanup_free_ uint8_t *large = chain_room(sample) > sizeof(usual)
		? xmalloc(chain_room(sample))
		: NULL;
	uint8_t *chain = large ?: usual;

	if (table->is_full || table->contexts.at[context].is_rest)
		return find_rest_stack(stacks, context);
	size = encode_chain(
		stacks, table->contexts.at[context].space, sample, chain);
	n_new = stacks->frames.n - n_frames;
	if (!reserve_stack_memory(table,
		    STACK_COST + 2 * size + n_new * FRAME_COST,
		    n_new * ROWS_COST))
		return find_rest_stack(stacks, context);
	return add_new_stack(table, hash, context, chain, size);
}

/* Returns the number of STACK, an element of STACKS. */
static uint32_t stack_number(
	const struct stacks *stacks, const struct stack *stack)
{
	uint32_t i = (uint32_t)stacks->segments.n;

	while (stack < stacks->segments.at[--i].stacks ||
		stack >= stacks->segments.at[i].stacks + SEGMENT_STACKS)
		;
	return i * SEGMENT_STACKS +
		(uint32_t)(stack - stacks->segments.at[i].stacks);
}

/* The keyed 64-bit HASH identifies the chain, so chains are not compared. */
void stacks_add_prepared(struct stacks_raw *stacks, uint32_t context,
	const struct stack_sample *sample, uint64_t hash)
{
	struct stacks *table = &stacks->table;
	struct stack *stack = find_counted_stack(table, hash, context);

	if (unlikely(!stack))
		stack = store_stack(stacks, context, sample, hash);
	stack->period += sample->period;
	stack->samples += sample->n;
	if (unlikely(table->keeps_times))
		*array_push(&table->times) =
			(struct stack_time){ sample->time, sample->period,
				sample->span, stack_number(table, stack) };
}

void stacks_add(struct stacks_raw *stacks, uint32_t context,
	const struct stack_sample *sample)
{
	stacks_add_prepared(stacks, context, sample,
		stacks_prepare(stacks, context, sample));
}

uint32_t stacks_put(struct stacks *into, const struct stack *from,
	uint32_t context, const uint8_t *chain, size_t size)
{
	uint64_t hash = hash_bytes(chain, size);
	struct stack *stack = find_counted_stack(into, hash, context);

	if (!stack)
		stack = add_new_stack(into, hash, context, chain, size);
	stack->period += from->period;
	stack->samples += from->samples;
	return stack_number(into, stack);
}

void stacks_move_times(
	struct stacks *into, struct stacks *from, const uint32_t *numbers)
{
	array_each(&from->times, time) {
		if (time->stack != HASH_NONE)
			time->stack = numbers[time->stack];
		*array_push(&into->times) = *time;
	}
	array_free(&from->times);
}
