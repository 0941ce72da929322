/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work of one unwinding thread: unwinds samples, and continues unwound call
 * chains with the kernel's frame-pointer chain.
 */
#include "config.h"

#include "report/unwind/recorded_unwinding.h"

#include "common/perf/frame_origin.h"
#include "common/perf/userchain.h"
#include "common/unwind/cfi.h"
#include "common/unwind/cfi_rule.h"
#include "common/unwind/kernel_chain.h"
#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "report/unwind/recorded_unwinding_private.h"

/* --- chains of frame pointers ------------------------------------------ */

/* Returns the number of entries in SAMPLE's chain before its user part. */
static uint64_t recorded_unwinding_kernel_part(const struct sample *sample)
{
	uint64_t i;

	for (i = 0; i < sample->n_chain; i++)
		if (sample_chain_entry(sample, i) == PERF_CONTEXT_USER)
			break;
	return i;
}

/*
 * Appends the callers in SAMPLE's recorded chain, from entry I on, to the N
 * ENTRIES, each moved into the call instruction before the return address.
 * Stops at an address without code: there the frame pointer register was used
 * for something else. Returns the new number of entries.
 */
static size_t append_own_callers(const struct recorded_unwinding_stack *stack,
	const struct sample *sample, uint64_t i, uint64_t *entries, size_t n)
{
	for (; i < sample->n_chain &&
		n < UNWINDING_CHAIN_MAX - FRAME_ORIGIN_MARK_MAX;
		i++) {
		uint64_t pc = sample_chain_entry(sample, i);
		struct unwind_code code;

		if (pc >= ABI_CONTEXT_FIRST ||
			!address_rules_find(stack->code.rules,
				stack->code.space, pc - 1, &code))
			break;
		/* The return address of a signal handler is not behind a call. */
		entries[n++] = pc -
			!(code.cfi &&
				cfi_rule(code.cfi, pc - 1 - code.bias) ==
					CFI_SIGNAL);
	}
	return n;
}

/*
 * Continues a call chain where the stack copy or the rules end. If the kernel's
 * frame-pointer chain contains the last two of the N ENTRIES, appends the
 * callers of that chain, with a mark of their origin, up to the first address
 * without code. Returns the new number of entries.
 */
static size_t recorded_unwinding_splice(
	const struct recorded_unwinding_stack *stack,
	const struct sample *sample, uint64_t *entries, size_t n)
{
	uint64_t user = recorded_unwinding_kernel_part(sample);
	/* PERF_CONTEXT_USER is the first entry of both chains. */
	const struct kernel_chain chain = { sample, user,
		sample->n_chain - user, 1 };
	uint64_t i = kernel_chain_find(&chain, entries + user, n - user);
	size_t own = n;

	if (i)
		n = append_own_callers(stack, sample, user + i + 1, entries, n);
	return frame_origin_put(FRAME_ORIGIN_FRAMES, entries, n, own);
}

/*
 * Sets SAMPLE's call chain to the kernel's frame-pointer chain, for samples
 * without an unwound stack. Returns false if no callers were found.
 */
static bool recorded_unwinding_keep_frames(
	struct recorded_unwinding_thread *thread,
	const struct recorded_unwinding_stack *stack, struct sample *sample)
{
	uint64_t *entries = thread->entries + thread->n_entries;
	size_t own = recorded_unwinding_kernel_part(sample) + 1, n, i;

	if (own >= sample->n_chain ||
		own + 1 + FRAME_ORIGIN_MARK_MAX > UNWINDING_CHAIN_MAX)
		return false;
	for (i = 0; i <= own; i++)
		entries[i] = sample_chain_entry(sample, i);
	n = append_own_callers(stack, sample, own + 1, entries, own + 1);
	sample->n_chain =
		frame_origin_put(FRAME_ORIGIN_FRAMES, entries, n, own);
	sample->chain = (const uint8_t *)entries;
	thread->n_entries += sample->n_chain;
	return n > own + 1;
}

/* --- threads ----------------------------------------------------------- */

/*
 * Number of .entries of a thread: space for several call chains, of which the
 * longest one takes a quarter.
 */
#define ENTRIES_MAX (4 * UNWINDING_CHAIN_MAX)

struct recorded_unwinding_thread *recorded_unwinding_make_thread(
	const struct recorded_unwinding *unwinding)
{
	struct recorded_unwinding_thread *thread = xcalloc(1, sizeof(*thread));

	thread->unwinding = unwinding;
	thread->pcs = xcalloc(
		UNWINDING_AT_ONCE * UNWINDING_CHAIN_MAX, sizeof(*thread->pcs));
	thread->slots = xcalloc(UNWINDING_AT_ONCE * UNWINDING_CHAIN_MAX,
		sizeof(*thread->slots));
	thread->entries = xcalloc(ENTRIES_MAX, sizeof(*thread->entries));
	return thread;
}

void recorded_unwinding_free_thread(struct recorded_unwinding_thread *thread)
{
	size_t i;

	for (i = 0; i < UNWINDING_ABIS; i++)
		if (thread->unwinders[i])
			unwinder_destroy(thread->unwinders[i]);
	stitch_deinit(&thread->stitch);
	array_free(&thread->cuts);
	free(thread->pcs);
	free(thread->slots);
	free(thread->entries);
	free(thread);
}

/*
 * Returns the architecture of processes with ABI (UNWINDING_ABI_32 or
 * UNWINDING_ABI_64). A 64-bit kernel of x86 also runs i386 programs.
 */
static enum unwind_arch abi_unwind_arch(
	const struct recorded_unwinding_thread *thread, size_t abi)
{
	enum unwind_arch arch = thread->unwinding->arch;

	if (abi == UNWINDING_ABI_64)
		return arch == UNWIND_I386 ? UNWIND_NONE : arch;
	return arch == UNWIND_X86_64 || arch == UNWIND_I386 ? UNWIND_I386
							    : UNWIND_NONE;
}

void recorded_unwinding_add(struct recorded_unwinding_thread *thread,
	const struct recorded_unwinding_place *place,
	const struct sample *sample)
{
	const struct perf_event_attr *attr =
		&reader_event(thread->unwinding->reader, place->event)->attr;
	size_t room = thread->n_stacks * UNWINDING_CHAIN_MAX;
	struct recorded_unwinding_stack *stack =
		&thread->stacks[thread->n_stacks++];
	size_t abi = sample->regs_user_abi == PERF_SAMPLE_REGS_ABI_64
		? UNWINDING_ABI_64
		: UNWINDING_ABI_32;
	enum unwind_arch arch = abi_unwind_arch(thread, abi);

	stack->code = (struct address_rules_space){ thread->unwinding->rules,
		place->space };
	stack->is_there = arch != UNWIND_NONE && sample->regs_user_abi &&
		attr->sample_type & PERF_SAMPLE_STACK_USER;
	if (!stack->is_there)
		return;
	if (!thread->unwinders[abi])
		thread->unwinders[abi] = unwinder_create(arch);
	stack->abi = abi;
	stack->space = address_rules_space(&stack->code);
	stack->chain = (struct unwind_chain){ .pcs = thread->pcs + room,
		.slots = thread->slots + room,
		.room = UNWINDING_CHAIN_MAX,
		.end = UNWIND_REGISTER };
	stack->has_registers = unwind_registers_read(arch,
		attr->sample_regs_user, sample->regs_user, &stack->registers);
	stack->memory = (struct unwind_memory){
		.start = stack->registers.value[unwind_numbers[arch].sp],
		.bytes = sample->stack,
		.size = sample->stack_size,
		.thread = sample->tid,
	};
}

void recorded_unwinding_walk(struct recorded_unwinding_thread *thread)
{
	struct unwind_task tasks[UNWINDING_ABIS][UNWINDING_AT_ONCE];
	size_t n[UNWINDING_ABIS] = { 0 }, i;

	for (i = 0; i < thread->n_stacks; i++) {
		struct recorded_unwinding_stack *stack = &thread->stacks[i];

		if (stack->is_there && stack->has_registers)
			tasks[stack->abi][n[stack->abi]++] =
				(struct unwind_task){ &stack->space,
					&stack->registers, &stack->memory,
					&stack->chain };
	}
	for (i = 0; i < UNWINDING_ABIS; i++)
		if (n[i])
			unwind_several(thread->unwinders[i], tasks[i], n[i]);
}

/*
 * Whether a sample has no stack copy: no stack is copied while a program
 * starts, or if the recorder skipped the copy.
 */
static bool is_empty_copy(const struct recorded_unwinding_stack *stack)
{
	return stack->chain.end == UNWIND_TRUNCATED && !stack->memory.size;
}

/*
 * Stores the frames of CHAIN, for the completion of truncated stacks. Returns
 * true if the stack is truncated and was stored.
 */
static bool store_for_stitching(struct recorded_unwinding_thread *thread,
	const struct recorded_unwinding_place *place,
	const struct sample *sample, const struct unwind_chain *chain)
{
	const struct stack_frames stack = {
		.thread = { sample->tid,
			maps_program(thread->unwinding->maps, place->space) },
		.addresses = chain->pcs,
		.slots = chain->slots,
		.n = chain->n,
	};
	size_t before = thread->stitch.nodes.n, unused;

	if (chain->end != UNWIND_ROOT && chain->end != UNWIND_TRUNCATED)
		return false;
	if (!thread->is_full)
		thread->is_full = !budget_reserve(
			reader_budget(thread->unwinding->reader),
			2 * chain->n * sizeof(struct stitch_node));
	if (thread->is_full)
		return false;
	if (chain->end == UNWIND_ROOT)
		stitch_add_complete(&thread->stitch, &stack, place->time);
	else
		stitch_add_truncated(&thread->stitch, &stack, place->time);
	unused = before + chain->n - thread->stitch.nodes.n;
	budget_release(reader_budget(thread->unwinding->reader),
		2 * unused * sizeof(struct stitch_node));
	return chain->end == UNWIND_TRUNCATED;
}

/*
 * Sets SAMPLE's call chain: the kernel frames, the user frames from the stack
 * copy, then callers from the kernel's frame-pointer chain.
 */
static void set_sample_chain(struct recorded_unwinding_thread *thread,
	const struct recorded_unwinding_stack *stack, struct sample *sample)
{
	const struct unwind_chain *chain = &stack->chain;
	uint64_t *entries = thread->entries + thread->n_entries;
	uint64_t user = recorded_unwinding_kernel_part(sample), i;
	size_t n = 0, frames;

	for (i = 0; i < user && n < UNWINDING_CHAIN_MAX - 1; i++)
		entries[n++] = sample_chain_entry(sample, i);
	entries[n++] = PERF_CONTEXT_USER;
	frames = MIN(chain->n, UNWINDING_CHAIN_MAX - n);
	memcpy(entries + n, chain->pcs, frames * sizeof(*entries));
	n += frames;
	thread->n_own = n;
	if (unwind_may_continue(chain) && frames)
		n = recorded_unwinding_splice(stack, sample, entries, n);
	thread->n_entries += n;
	sample->chain = (const uint8_t *)entries;
	sample->n_chain = n;
}

enum recorded_unwinding_result recorded_unwinding_take(
	struct recorded_unwinding_thread *thread,
	const struct recorded_unwinding_place *place, struct sample *sample)
{
	const struct recorded_unwinding_stack *stack =
		&thread->stacks[thread->n_taken++];
	const struct unwind_chain *chain = &stack->chain;
	bool is_cut, is_spliced;

	userchain_frames_join(
		sample, thread->joined, ARRAY_SIZE(thread->joined));
	if (thread->n_taken == thread->n_stacks)
		thread->n_taken = thread->n_stacks = 0;
	if (!stack->is_there) {
		recorded_unwinding_keep_frames(thread, stack, sample);
		return UNWINDING_NOTHING;
	}
	thread->counts.all++;
	thread->counts.guessed += chain->n_guessed > 0;
	if (is_empty_copy(stack))
		thread->counts.empty++;
	else if (chain->end == UNWIND_ROOT)
		thread->counts.whole++;
	else
		thread->counts.ends[chain->end]++;
	if (!chain->n) {
		thread->counts.framed +=
			recorded_unwinding_keep_frames(thread, stack, sample);
		return UNWINDING_NOTHING;
	}
	/*
	 * Move return addresses into their call instructions. A return address
	 * is behind the call instruction, and may be in another function.
	 */
	uint32_t next = 0;
	size_t i;

	for (i = 1; i < chain->n; i++)
		if (!unwind_is_exact(chain, i, &next))
			chain->pcs[i]--;
	is_cut = !is_empty_copy(stack) &&
		store_for_stitching(thread, place, sample, chain);
	set_sample_chain(thread, stack, sample);
	is_spliced = sample->n_chain > thread->n_own;
	if (!is_cut) {
		thread->counts.spliced += is_spliced;
		return UNWINDING_DONE;
	}
	*array_push(&thread->cuts) =
		(struct recorded_unwinding_cut_stack){ place->position,
			is_spliced };
	return UNWINDING_CUT;
}

bool recorded_unwinding_has_room(const struct recorded_unwinding_thread *thread)
{
	return ENTRIES_MAX - thread->n_entries >= UNWINDING_CHAIN_MAX;
}

void recorded_unwinding_clear(struct recorded_unwinding_thread *thread)
{
	thread->n_entries = 0;
}

struct recorded_unwinding_cut recorded_unwinding_last_cut(
	const struct recorded_unwinding_thread *thread)
{
	return (struct recorded_unwinding_cut){
		(uint32_t)thread->stitch.ends.n - 1, thread->n_own
	};
}

size_t recorded_unwinding_complete(
	const struct recorded_unwinding_thread *thread, uint32_t cut,
	uint64_t *out, size_t room)
{
	struct stitch_walk walk = stitch_callers(&thread->stitch, cut);
	size_t n = 0;

	while (n < room && stitch_next(&walk, &out[n]))
		n++;
	return n;
}
