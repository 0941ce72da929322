/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks that don't end where their thread begins. */
#include "config.h"

#include "record/unwind/unwinding.h"
#include "record/unwind/unwinding_private.h"

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
		else if (address + i - work->rest_at < work->rest_size)
			out[i] = work->rest[address + i - work->rest_at];
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

/*
 * Everything that was read later leads to calls, and to the beginning, or to
 * more of them than there is room for.
 */
static bool makes_sense(struct work *work)
{
	const struct unwind_chain *chain = &work->chain;
	size_t i;

	if (chain->end != UNWIND_ROOT && chain->end != UNWIND_LIMIT)
		return false;
	for (i = chain->n_copied; i < chain->n; i++)
		/* A recursion has thousands of one. */
		if ((i == chain->n_copied ||
			    chain->pcs[i] != chain->pcs[i - 1]) &&
			!is_caller(work, i))
			return false;
	return true;
}

/*
 * What was read of the living process; false: nothing. Where it is of another
 * stack the copy ends where that one's address lies. OVERLAP_RET: it begins with
 * so much of the copy.
 */
static bool find_rest(struct work *work, size_t *overlap_ret)
{
	struct unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->plain->sample;
	struct unwind_memory *memory = &work->memory;
	struct depths_place place;
	size_t size = depths_find(unwinding->depths, sample->tid, sample->time,
		unwinding->rest, &place);

	if (!size || place.address - memory->start > memory->size)
		return false;
	*overlap_ret = MIN(place.address - memory->start,
		(uint64_t)DEPTHS_OVERLAP);
	if (size <= *overlap_ret)
		return false;
	memory->size = place.address - memory->start;
	memory->read = read_word;
	memory->data = work;
	work->rest = unwinding->rest + *overlap_ret;
	work->rest_at = place.from;
	work->rest_size = size - *overlap_ret;
	return true;
}

/* The copy is as it was, so its part of the chain is that BEFORE. */
static void refuse(
	struct work *work, bool is_sound, const struct unwind_chain *before)
{
	struct depths *depths = work->unwinding->depths;
	uint32_t pid = work->plain->sample.pid;
	enum unwind_end end = work->chain.end;

	work->chain = *before;
	if (end == UNWIND_TRUNCATED) {
		depths_doubt(depths, pid, work->memory.start,
			work->rest_at + work->rest_size);
		depths_need(depths, pid, DEPTHS_SIZE_MAX);
		work->told->stacks.unread++;
		return;
	}
	work->told->stacks.refused++;
	/* It isn't the copy that is too small. */
	if (is_sound && end == UNWIND_LIMIT)
		work->chain.end = end;
}

/* With what was read of the living process. */
void unwinding_complete(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->plain->sample;
	const struct unwind_memory copy = work->memory;
	const struct unwind_chain before = work->chain;
	bool is_sound;
	size_t overlap;

	if (!unwinding->depths)
		return;
	if (before.interrupted_at)
		depths_learn_interrupted(unwinding->depths, sample->tid,
			before.interrupted_at);
	if (!find_rest(work, &overlap)) {
		/* What was known to begin in the copy made nobody read it. */
		if (before.end == UNWIND_TRUNCATED)
			depths_doubt(unwinding->depths, sample->pid,
				copy.start, copy.start + copy.size);
		return;
	}
	unwind(work->unwinder, &work->space, &work->registers, &work->memory,
		&work->chain);
	is_sound = makes_sense(work);
	if (is_sound && is_of_that_moment(work, unwinding->rest, overlap)) {
		work->own = work->chain.n_copied;
		work->n = work->chain.n;
		work->origin = ORIGIN_PROCESS;
		work->told->stacks.completed +=
			work->own < work->n && work->chain.end == UNWIND_ROOT;
		return;
	}
	refuse(work, is_sound, &before);
	work->memory = copy;
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
	work->told->stacks.joined += n > 0;
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

static bool is_code(const struct rules_place *place, uint64_t pc)
{
	const struct mapping *mapping =
		maps_find(place->maps, place->space, pc);

	return mapping && !mapping->is_data;
}

/*
 * Those of the kernel's chain from number I on. It follows whatever is in the
 * frame pointer: only where code is mapped there are callers.
 */
static void take_frames(struct work *work, uint64_t i)
{
	for (; i < work->plain->n_user && work->n < work->chain.room; i++) {
		uint64_t pc = kernels(work, i);

		if (i && !is_code(&work->place, pc - 1))
			return;
		work->chain.pcs[work->n++] = pc;
	}
}

/* The kernel's chain goes on behind the last two callers, if it has them. */
static void splice(struct work *work)
{
	uint64_t i = find_frames(work);

	if (!i || i + 1 == work->plain->n_user)
		return;
	work->own = work->n;
	work->origin = ORIGIN_FRAMES;
	take_frames(work, i + 1);
	work->told->stacks.spliced += work->n > work->own;
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
	work->n = work->own = 0;
	work->origin = ORIGIN_FRAMES;
	take_frames(work, 0);
	return work->n > 0;
}

static void tell_cut(struct work *work)
{
	const struct tails_stack stack = stack_of(work);

	if (work->chain.end != UNWIND_TRUNCATED || stack.n < 2)
		return;
	work->told->is_cut = true;
	work->told->frame = (struct tails_frame){ stack.tid, stack.space,
		stack.slots[stack.n - 1], stack.addresses[stack.n - 1] };
}

static void count_end(const struct work *work)
{
	struct stacks *stacks = &work->told->stacks;
	enum unwind_end end = work->chain.end;

	if (end == UNWIND_TRUNCATED && !work->memory.size)
		++*(work->event->is_fault ? &stacks->unfaulted : &stacks->empty);
	else
		stacks->ends[end]++;
	if (end == UNWIND_TRUNCATED && work->memory.size)
		stacks->small += work->event->is_small;
	if (end == UNWIND_NO_RULE)
		stacks->made += ends_in_made_code(work);
}

/* Where the stack begins, and so how much others of its process may need. */
static void learn_depth(struct work *work)
{
	const struct unwind_memory *memory = &work->memory;
	struct depths *depths = work->unwinding->depths;
	uint64_t top = work->chain.slots[work->n - 1];
	uint64_t behind = top - (memory->start + memory->size);

	if (!depths)
		return;
	depths_learn(depths, work->plain->sample.pid, top);
	depths_need(depths, work->plain->sample.pid,
		behind < DEPTHS_SIZE_MAX ? behind : 0);
}

void unwinding_settle(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;
	const struct tails_stack stack = stack_of(work);

	work->told->stacks.guessed += work->chain.n_guessed > 0;
	if (work->chain.end == UNWIND_ROOT) {
		work->told->stacks.whole++;
		work->told->is_example = true;
		tails_keep(unwinding->tails, &stack);
		learn_depth(work);
		return;
	}
	if (work->chain.end == UNWIND_TRUNCATED && join(work)) {
		work->told->stacks.whole++;
		return;
	}
	/* What the user didn't want lacks nothing. */
	if (work->chain.end == UNWIND_LIMIT &&
		work->n == work->event->max_stack) {
		work->told->stacks.limited++;
		return;
	}
	tell_cut(work);
	count_end(work);
	/* Where somebody has put a 0 nothing ends early. */
	if (work->n == work->chain.room || work->chain.end == UNWIND_ZERO)
		return;
	if (work->n > 1)
		splice(work);
	else
		work->told->stacks.framed += unwinding_use_frames(work);
}
