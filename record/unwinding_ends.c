/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks that don't end where their thread begins. */
#include "config.h"

#include "record/unwinding_private.h"

/* In the copy, what lies behind it, or in both. */
static bool read_word(void *data, uint64_t address, uint64_t *word_ret)
{
	const struct work *work = data;
	const struct unwind_memory *memory = &work->memory;
	uint8_t *out = (uint8_t *)word_ret;
	size_t i;

	*word_ret = 0;
	for (i = 0; i < work->word_size; i++) {
		uint64_t at = address + i - memory->start;

		if (at < memory->size)
			out[i] = memory->bytes[at];
		else if (at - memory->size < work->rest_size)
			out[i] = work->rest[at - memory->size];
		else
			return false;
	}
	return true;
}

static struct tails_stack stack_of(const struct work *work)
{
	return (struct tails_stack){
		.tid = work->plain->sample.tid,
		.space = (uint64_t)work->unwinding->epoch << 32 |
			work->place.space,
		.addresses = work->chain.pcs,
		.slots = work->chain.slots,
		.n = work->n,
	};
}

/*
 * Whether the N oldest return addresses of the copy are those of AGAIN, LENGTH
 * bytes of memory up to the copy's end.
 */
static bool has_oldest(const struct work *work, size_t n,
	const uint8_t *again, size_t length)
{
	const struct unwind_memory *memory = &work->memory;
	uint64_t end = memory->start + memory->size, from = end - length;
	size_t i;

	for (i = 1; i <= n; i++) {
		uint64_t slot = work->chain.slots[work->chain.n_copied - i];

		if (slot < from || slot + work->word_size > end ||
			memcmp(again + (slot - from),
				memory->bytes + (slot - memory->start),
				work->word_size) != 0)
			return false;
	}
	return true;
}

/* How many return addresses lie in the last LENGTH bytes of the copy. */
static size_t count_oldest(const struct work *work, size_t length)
{
	uint64_t from = work->memory.start + work->memory.size - length;
	size_t own = work->chain.n_copied, n = 0;

	while (n + 1 < own && work->chain.slots[own - 1 - n] >= from)
		n++;
	return n;
}

/*
 * What was read is of the same call if the same callers were there before; or
 * if all frames at the copy's end were the same when it was read, or some, and
 * still when the thread's next sample was taken. Of a recursion only the latter
 * counts: dead frames lie where others will be.
 */
static bool is_of_that_moment(
	const struct work *work, const uint8_t *read, size_t overlap)
{
	const struct unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->plain->sample;
	struct tails_stack stack = stack_of(work);
	size_t own = work->chain.n_copied, sure, size;
	uint8_t later[DEPTHS_OVERLAP];
	bool is_recursive;

	stack.n = work->chain.n;
	if (own < 2 || own == stack.n ||
		tails_have(unwinding->tails, &stack, own))
		return own > 1;
	stack.n = own;
	sure = tails_sure(&stack, &is_recursive);
	if (!is_recursive &&
		has_oldest(work, count_oldest(work, overlap), read, overlap))
		return true;
	if (!has_oldest(work, sure, read, overlap))
		return false;
	size = depths_find_later(
		unwinding->depths, sample->tid, sample->time, later);
	return has_oldest(work, sure, later, size);
}

/* Nobody called the last one: Go's runtime and makecontext() put it there. */
static bool is_caller(const struct work *work, size_t i)
{
	struct rules *rules = work->unwinding->rules;
	uint64_t pc = work->chain.pcs[i];

	return rules_is_called(rules, &work->place, pc) ||
		(i + 1 == work->chain.n &&
			rules_is_put(rules, &work->place, pc));
}

/* Everything that was read later leads to calls, and to the beginning. */
static bool makes_sense(struct work *work)
{
	const struct unwind_chain *chain = &work->chain;
	size_t i;

	if (chain->end != UNWIND_ROOT)
		return false;
	for (i = chain->n_copied; i < chain->n; i++)
		if (!is_caller(work, i))
			return false;
	return true;
}

/* With what was read of the living process. */
void unwinding_complete(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->plain->sample;
	const struct unwind_chain before = work->chain;
	size_t overlap = MIN(work->memory.size, (size_t)DEPTHS_OVERLAP), size;
	uint8_t *read = unwinding->rest;

	if (!unwinding->depths)
		return;
	size = depths_find(
		unwinding->depths, sample->tid, sample->time, read);
	if (size <= overlap)
		return;
	work->rest = read + overlap;
	work->rest_size = size - overlap;
	work->memory.read = read_word;
	work->memory.data = work;
	unwind(work->unwinder, &work->space, &work->registers, &work->memory,
		&work->chain);
	if (makes_sense(work) && is_of_that_moment(work, read, overlap)) {
		work->own = work->chain.n_copied;
		work->n = work->chain.n;
		work->origin = ORIGIN_PROCESS;
		unwinding->stacks.completed += work->own < work->n;
		return;
	}
	if (work->chain.end == UNWIND_TRUNCATED ||
		work->chain.end == UNWIND_LIMIT)
		unwinding->stacks.unread++;
	else
		unwinding->stacks.refused++;
	/* The copy is as it was, so its part of the chain is the same. */
	work->chain = before;
}

static bool join(struct work *work)
{
	const struct tails_stack stack = stack_of(work);
	struct unwinding *unwinding = work->unwinding;
	size_t n = tails_find(unwinding->tails, &stack,
		work->chain.pcs + work->n, work->chain.room - work->n);

	work->own = work->n;
	work->n += n;
	work->origin = ORIGIN_SAMPLES;
	unwinding->stacks.joined += n > 0;
	return n > 0;
}

static uint64_t kernels(const struct work *work, uint64_t i)
{
	return sample_chain_entry(&work->plain->sample, work->plain->user + i);
}

/* Whether our last two addresses are entry I of the kernel's chain and before. */
static bool is_there(const struct work *work, uint64_t i)
{
	const uint64_t *own = work->chain.pcs + work->n;

	return i && i < work->plain->n_user && kernels(work, i) == own[-1] &&
		kernels(work, i - 1) == own[-2];
}

/*
 * Where they stand in it; 0: nowhere. In a recursion they may stand at many
 * places: they are as deep as here, but for a caller that the kernel misses.
 */
static uint64_t find_frames(const struct work *work)
{
	uint64_t i = work->plain->n_user;

	if (is_there(work, work->n - 1))
		return work->n - 1;
	if (is_there(work, work->n - 2))
		return work->n - 2;
	while (i-- > 1)
		if (is_there(work, i))
			return i;
	return 0;
}

/* The kernel's chain goes on behind the last two callers, if it has them. */
static void splice(struct work *work)
{
	uint64_t i = find_frames(work);

	if (!i || i + 1 == work->plain->n_user)
		return;
	work->own = work->n;
	work->origin = ORIGIN_FRAMES;
	while (++i < work->plain->n_user && work->n < work->chain.room)
		work->chain.pcs[work->n++] = kernels(work, i);
	work->unwinding->stacks.spliced++;
}

static bool ends_in_made_code(const struct work *work)
{
	const struct rules_place *place = &work->place;
	uint64_t last = work->chain.pcs[work->chain.n - 1];
	const struct mapping *mapping =
		maps_find(place->maps, place->space, last - (work->n > 1));

	return mapping &&
		maps_is_anonymous(maps_dso(place->maps, mapping->dso)->path);
}

bool unwinding_use_frames(struct work *work)
{
	const struct plain *plain = work->plain;
	uint64_t i;

	work->n = work->own = 0;
	work->origin = ORIGIN_FRAMES;
	for (i = 0; i < plain->n_user && work->n < work->chain.room; i++)
		work->chain.pcs[work->n++] = sample_chain_entry(
			&plain->sample, plain->user + i);
	return work->n > 0;
}

void unwinding_settle(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;
	const struct tails_stack stack = stack_of(work);

	unwinding->stacks.guessed += work->chain.n_guessed > 0;
	if (work->chain.end == UNWIND_ROOT) {
		unwinding->stacks.whole++;
		tails_keep(unwinding->tails, &stack);
		if (unwinding->depths)
			depths_learn(unwinding->depths, stack.tid,
				stack.slots[stack.n - 1]);
		return;
	}
	if (work->chain.end == UNWIND_TRUNCATED && join(work)) {
		unwinding->stacks.whole++;
		return;
	}
	/* What the user didn't want lacks nothing. */
	if (work->chain.end == UNWIND_LIMIT &&
		work->n == work->event->max_stack) {
		unwinding->stacks.limited++;
		return;
	}
	if (work->chain.end == UNWIND_TRUNCATED && !work->memory.size)
		unwinding->stacks.empty++;
	else
		unwinding->stacks.ends[work->chain.end]++;
	if (work->chain.end == UNWIND_NO_RULE)
		unwinding->stacks.made += ends_in_made_code(work);
	if (work->n > 1)
		splice(work);
	else
		unwinding->stacks.framed += unwinding_use_frames(work);
}
