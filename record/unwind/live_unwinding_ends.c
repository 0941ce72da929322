/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handles stacks that end before the start of their thread. */
#include "config.h"

#include "record/unwind/live_unwinding.h"

#include "common/unwind/kernel_chain.h"
#include "record/unwind/live_unwinding_private.h"

/* Reads a word from the stack copy, from the bytes at .rest, or from both. */
static bool read_stack_word(void *data, uint64_t address, uint64_t *word_ret)
{
	const struct unwinding_work *work = data;
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

static struct stack_frames cached_stack_of(const struct unwinding_work *work)
{
	return (struct stack_frames){
		.thread = { work->rewrite->sample.tid,
			(uint64_t)work->unwinding->epoch << 32 |
				work->place.space },
		.addresses = work->chain.pcs,
		.slots = work->chain.slots,
		.n = work->n,
	};
}

/*
 * Returns true if the N outermost return addresses of the stack copy are the
 * same in AGAIN. AGAIN has LENGTH bytes that were read later from the same
 * addresses, up to the end of the copy.
 */
static bool has_same_outermost(const struct unwinding_work *work, size_t n,
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

/*
 * Returns the number of return addresses in the last LENGTH bytes of the copy.
 */
static size_t count_outermost(const struct unwinding_work *work, size_t length)
{
	uint64_t from = work->memory.start + work->memory.size - length;
	size_t own = work->chain.n_copied, n = 0;

	while (n + 1 < own && work->chain.slots[own - 1 - n] >= from)
		n++;
	return n;
}

/*
 * Returns true if the stack bytes READ belong to the same calls as the stack
 * copy. One of three conditions is sufficient: an earlier stack had the same
 * callers; READ has all frames of the copy in the overlap; or READ has some
 * frames of the copy, and the next sample of the thread has these frames too.
 * In a recursion, the second condition is not used, because old frames are in
 * the same slots as later frames.
 */
static bool is_of_same_calls(
	const struct unwinding_work *work, const uint8_t *read, size_t overlap)
{
	const struct live_unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->rewrite->sample;
	struct stack_frames stack = cached_stack_of(work);
	size_t own = work->chain.n_copied, n_match, size;
	uint8_t later[STACK_READER_OVERLAP];
	bool is_recursive;

	stack.n = work->chain.n;
	if (own < 2 || own == stack.n ||
		outer_frames_confirm(unwinding->outer, &stack, own))
		return own > 1;
	stack.n = own;
	n_match = outer_frames_min_match(&stack, &is_recursive);
	if (!is_recursive &&
		has_same_outermost(
			work, count_outermost(work, overlap), read, overlap))
		return true;
	if (!has_same_outermost(work, n_match, read, overlap))
		return false;
	size = stack_reader_find_overlap(
		unwinding->reader, sample->tid, sample->time, later);
	return has_same_outermost(work, n_match, later, size);
}

/*
 * Returns true if address I of the chain follows a call. The last address can
 * also be a start of a stack, which the runtime of Go and makecontext() create.
 */
static bool is_return_address(const struct unwinding_work *work, size_t i)
{
	struct rules *rules = work->unwinding->rules;
	uint64_t pc = work->chain.pcs[i];

	return runtime_has_address(pc) ||
		rules_follows_call(rules, &work->place, pc) ||
		(i + 1 == work->chain.n &&
			rules_is_stack_start(rules, &work->place, pc));
}

/*
 * Returns true if all return addresses beyond the copy follow calls, and the
 * chain leads to the start of the stack or fills the available space.
 */
static bool is_plausible(struct unwinding_work *work)
{
	const struct unwind_chain *chain = &work->chain;
	size_t i;

	if (chain->end != UNWIND_ROOT && chain->end != UNWIND_LIMIT)
		return false;
	for (i = chain->n_copied; i < chain->n; i++)
		/*
		 * A recursion can contain the same address thousands of times.
		 */
		if ((i == chain->n_copied ||
			    chain->pcs[i] != chain->pcs[i - 1]) &&
			!is_return_address(work, i))
			return false;
	return true;
}

/*
 * Sets .rest to the stack bytes that were read from the process. If the bytes
 * are of another stack, the copy is cut where the address of that stack is
 * stored. Sets *OVERLAP_RET to the number of bytes before .rest that are also
 * in the copy. Returns false if nothing was read.
 */
static bool find_rest_of_stack(struct unwinding_work *work, size_t *overlap_ret)
{
	struct live_unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->rewrite->sample;
	struct unwind_memory *memory = &work->memory;
	struct stack_location place;
	size_t size = stack_reader_find(unwinding->reader, sample->tid,
		sample->time, unwinding->rest, &place);

	if (!size || place.address - memory->start > memory->size)
		return false;
	*overlap_ret = MIN(
		place.address - memory->start, (uint64_t)STACK_READER_OVERLAP);
	if (size <= *overlap_ret)
		return false;
	memory->size = place.address - memory->start;
	memory->read = read_stack_word;
	memory->data = work;
	work->rest = unwinding->rest + *overlap_ret;
	work->rest_at = place.from;
	work->rest_size = size - *overlap_ret;
	return true;
}

/* Restores the chain BEFORE, which was unwound from the stack copy alone. */
static void reject_rest(struct unwinding_work *work, bool is_sound,
	const struct unwind_chain *before)
{
	struct stack_reader *reader = work->unwinding->reader;
	uint32_t pid = work->rewrite->sample.pid;
	enum unwind_end end = work->chain.end;

	work->chain = *before;
	if (end == UNWIND_TRUNCATED) {
		stack_reader_remove_starts(reader, pid, work->memory.start,
			work->rest_at + work->rest_size);
		stack_reader_set_need(reader, pid, STACK_READER_SIZE_MAX);
		work->outcome->stacks.unread++;
		return;
	}
	work->outcome->stacks.refused++;
	/* The chain is too long for a record; a larger copy would not help. */
	if (is_sound && end == UNWIND_LIMIT)
		work->chain.end = end;
}

void live_unwinding_read_rest(struct unwinding_work *work)
{
	struct live_unwinding *unwinding = work->unwinding;
	const struct sample *sample = &work->rewrite->sample;
	const struct unwind_memory copy = work->memory;
	const struct unwind_chain before = work->chain;
	bool is_sound;
	size_t overlap;

	if (!unwinding->reader)
		return;
	if (before.interrupted_at)
		stack_reader_set_interrupted_at(
			unwinding->reader, sample->tid, before.interrupted_at);
	if (!find_rest_of_stack(work, &overlap)) {
		/*
		 * Nothing was read because a stack was known to start inside
		 * the copy, which is wrong.
		 */
		if (before.end == UNWIND_TRUNCATED)
			stack_reader_remove_starts(unwinding->reader,
				sample->pid, copy.start,
				copy.start + copy.size);
		return;
	}
	unwind(work->unwinder, &work->space, &work->registers, &work->memory,
		&work->chain);
	is_sound = is_plausible(work);
	if (is_sound && is_of_same_calls(work, unwinding->rest, overlap)) {
		work->own = work->chain.n_copied;
		work->n = work->chain.n;
		work->origin = FRAME_ORIGIN_PROCESS;
		work->outcome->stacks.completed +=
			work->own < work->n && work->chain.end == UNWIND_ROOT;
		return;
	}
	reject_rest(work, is_sound, &before);
	work->memory = copy;
}

static bool join_cached_frames(struct unwinding_work *work)
{
	const struct stack_frames stack = cached_stack_of(work);
	struct live_unwinding *unwinding = work->unwinding;
	size_t n = outer_frames_find(unwinding->outer, &stack,
		work->chain.pcs + work->n, work->chain.room - work->n);

	work->own = work->n;
	work->n += n;
	work->origin = FRAME_ORIGIN_SAMPLES;
	work->outcome->stacks.joined += n > 0;
	return n > 0;
}

/*
 * Appends the entries of the kernel's frame pointer chain from I on. Stops
 * where no code is mapped, because the frame pointer register can contain any
 * value.
 */
static void append_kernel_chain(struct unwinding_work *work, uint64_t i)
{
	for (; i < work->rewrite->n_user && work->n < work->chain.room; i++) {
		uint64_t pc = chain_rewrite_user_entry(work->rewrite, i);

		if (i) {
			const struct mapping *mapping = maps_find(
				work->place.maps, work->place.space, pc - 1);

			if (!mapping || mapping->is_data)
				return;
		}
		work->chain.pcs[work->n++] = pc;
	}
}

/*
 * Returns an address in the code where the chain ends: for callers, the byte
 * before the return address.
 */
static uint64_t last_code_address(const struct unwinding_work *work)
{
	return work->chain.pcs[work->chain.n - 1] - (work->n > 1);
}

bool live_unwinding_use_kernel_chain(struct unwinding_work *work)
{
	work->n = work->own = 0;
	work->origin = FRAME_ORIGIN_FRAMES;
	append_kernel_chain(work, 0);
	return work->n > 0;
}

static void count_stack_end(const struct unwinding_work *work)
{
	struct stack_counts *stacks = &work->outcome->stacks;
	enum unwind_end end = work->chain.end;
	enum rules_compiler compiler;

	if (end == UNWIND_TRUNCATED && !work->memory.size)
		++*(work->event->is_fault ? &stacks->unfaulted
					  : &stacks->empty);
	else if (end == UNWIND_NO_RULE &&
		rules_file_is_missing(work->unwinding->rules, &work->place,
			last_code_address(work)))
		stacks->no_file++;
	else
		stacks->ends[end]++;
	if (end == UNWIND_TRUNCATED && work->memory.size)
		stacks->small += work->event->is_small;
	if (end != UNWIND_NO_RULE)
		return;
	const struct rules_place *place = &work->place;
	const struct mapping *mapping =
		maps_find(place->maps, place->space, last_code_address(work));
	stacks->made += mapping &&
		maps_is_anonymous(maps_dso(place->maps, mapping->dso)->path);
	compiler = rules_compiler_of(
		work->unwinding->rules, &work->place, last_code_address(work));
	stacks->haskell += compiler == RULES_GHC;
	stacks->pascal += compiler == RULES_FREE_PASCAL;
}

/*
 * Records the start of the stack, and the number of bytes beyond the copy,
 * which other stacks of the process may need, too.
 */
static void record_stack_depth(struct unwinding_work *work)
{
	const struct unwind_memory *memory = &work->memory;
	struct stack_reader *reader = work->unwinding->reader;
	uint64_t top = work->chain.slots[work->n - 1];
	uint64_t behind = top - (memory->start + memory->size);

	if (!reader)
		return;
	stack_reader_add_start(reader, work->rewrite->sample.pid, top);
	stack_reader_set_need(reader, work->rewrite->sample.pid,
		behind < STACK_READER_SIZE_MAX ? behind : 0);
}

void live_unwinding_finish(struct unwinding_work *work)
{
	struct live_unwinding *unwinding = work->unwinding;
	const struct stack_frames stack = cached_stack_of(work);

	work->outcome->stacks.guessed += work->chain.n_guessed > 0;
	if (work->chain.end == UNWIND_ROOT) {
		work->outcome->stacks.whole++;
		work->outcome->is_example = true;
		outer_frames_add(unwinding->outer, &stack);
		record_stack_depth(work);
		return;
	}
	if (work->chain.end == UNWIND_TRUNCATED && join_cached_frames(work)) {
		work->outcome->stacks.whole++;
		return;
	}
	/* Stacks of coroutines can end so. Nothing beyond the end is read. */
	if (work->chain.end == UNWIND_ZERO && unwinding->reader)
		stack_reader_add_start(unwinding->reader,
			work->rewrite->sample.pid,
			work->chain.slots[work->n - 1]);
	/* A chain that --max-stack limits is not incomplete. */
	if (work->chain.end == UNWIND_LIMIT &&
		work->n == work->event->max_stack) {
		work->outcome->stacks.limited++;
		return;
	}
	if (work->chain.end == UNWIND_TRUNCATED && stack.n >= 2) {
		work->outcome->is_cut = true;
		work->outcome->thread = stack.thread;
		work->outcome->frame = stack_frames_at(&stack, stack.n - 1);
	}
	count_stack_end(work);
	if (work->n == work->chain.room || !unwind_may_continue(&work->chain))
		return;
	if (work->n > 1) {
		/*
		 * Continue with the kernel's frame pointer chain, if it
		 * contains the last two unwound addresses.
		 */
		const struct chain_rewrite *rewrite = work->rewrite;
		const struct kernel_chain chain = { &rewrite->sample,
			rewrite->user, rewrite->n_user, 0 };
		uint64_t i =
			kernel_chain_find(&chain, work->chain.pcs, work->n);
		if (i && i + 1 != rewrite->n_user) {
			work->own = work->n;
			work->origin = FRAME_ORIGIN_FRAMES;
			append_kernel_chain(work, i + 1);
			work->outcome->stacks.spliced += work->n > work->own;
		}
	} else
		work->outcome->stacks.framed +=
			live_unwinding_use_kernel_chain(work);
}
