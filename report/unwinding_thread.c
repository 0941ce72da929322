/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From one sample to its callchain. */
#include "config.h"

#include "report/unwinding.h"

#include "common/alloc.h"
#include "common/aside.h"
#include "common/origin.h"
#include "report/unwinding_private.h"

/* Of several chains, the longest of which takes a quarter. */
#define ENTRIES_MAX (4 * UNWINDING_CHAIN_MAX)

struct unwinding_thread *unwinding_make_thread(
	const struct unwinding *unwinding)
{
	struct unwinding_thread *thread = xcalloc(1, sizeof(*thread));

	thread->unwinding = unwinding;
	thread->pcs = xcalloc(UNWINDING_AT_ONCE * UNWINDING_CHAIN_MAX,
		sizeof(*thread->pcs));
	thread->slots = xcalloc(UNWINDING_AT_ONCE * UNWINDING_CHAIN_MAX,
		sizeof(*thread->slots));
	thread->entries = xcalloc(ENTRIES_MAX, sizeof(*thread->entries));
	return thread;
}

void unwinding_free_thread(struct unwinding_thread *thread)
{
	size_t i;

	for (i = 0; i < ABIS; i++)
		if (thread->unwinders[i])
			unwinder_destroy(thread->unwinders[i]);
	joins_deinit(&thread->joins);
	array_free(&thread->positions);
	free(thread->pcs);
	free(thread->slots);
	free(thread->entries);
	free(thread);
}

/* A 64-bit kernel of x86 runs programs of i386, too. */
static enum unwind_arch arch_of(
	const struct unwinding_thread *thread, size_t abi)
{
	enum unwind_arch arch = thread->unwinding->arch;

	if (abi == ABI_64)
		return arch == UNWIND_I386 ? UNWIND_NONE : arch;
	return arch == UNWIND_X86_64 || arch == UNWIND_I386 ? UNWIND_I386
							    : UNWIND_NONE;
}

static bool find_code(void *data, uint64_t pc, struct unwind_code *ret)
{
	const struct unwinding_code *code = data;

	return codes_find(code->codes, code->space, pc, ret);
}

void unwinding_add(struct unwinding_thread *thread,
	const struct unwinding_place *place, const struct sample *sample)
{
	const struct perf_event_attr *attr =
		&reader_event(thread->unwinding->reader, place->event)->attr;
	size_t room = thread->n_stacks * UNWINDING_CHAIN_MAX;
	struct unwinding_stack *stack = &thread->stacks[thread->n_stacks++];
	size_t abi = sample->regs_user_abi == PERF_SAMPLE_REGS_ABI_64
		? ABI_64
		: ABI_32;
	enum unwind_arch arch = arch_of(thread, abi);

	stack->is_there = arch != UNWIND_NONE && sample->regs_user_abi &&
		attr->sample_type & PERF_SAMPLE_STACK_USER;
	if (!stack->is_there)
		return;
	if (!thread->unwinders[abi])
		thread->unwinders[abi] = unwinder_create(arch);
	stack->abi = abi;
	stack->code = (struct unwinding_code){ thread->unwinding->codes,
		place->space };
	stack->space = (struct unwind_space){ place->space + UINT64_C(1),
		find_code, &stack->code };
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

void unwinding_walk(struct unwinding_thread *thread)
{
	struct unwind_task tasks[ABIS][UNWINDING_AT_ONCE];
	size_t n[ABIS] = { 0 }, i;

	for (i = 0; i < thread->n_stacks; i++) {
		struct unwinding_stack *stack = &thread->stacks[i];

		if (stack->is_there && stack->has_registers)
			tasks[stack->abi][n[stack->abi]++] =
				(struct unwind_task){ &stack->space,
					&stack->registers, &stack->memory,
					&stack->chain };
	}
	for (i = 0; i < ABIS; i++)
		if (n[i])
			unwind_several(thread->unwinders[i], tasks[i], n[i]);
}

/* A return address is behind the call, which may be in another function. */
static void step_into_calls(const struct unwind_chain *chain)
{
	size_t i;
	uint32_t next = 0;

	for (i = 1; i < chain->n; i++)
		if (!unwind_is_exact(chain, i, &next))
			chain->pcs[i]--;
}

/* Each frame may have to be kept. */
static bool affords(struct unwinding_thread *thread, size_t n)
{
	struct reader *reader = thread->unwinding->reader;

	if (!thread->is_full)
		thread->is_full = !reader_affords(
			reader, 2 * n * sizeof(struct joins_node));
	return !thread->is_full;
}

/* True if it waits for what completes it. */
static bool remember(struct unwinding_thread *thread,
	const struct unwinding_place *place, const struct sample *sample,
	const struct unwind_chain *chain)
{
	const struct joins_stack stack = {
		.tid = sample->tid,
		.time = place->time,
		.pcs = chain->pcs,
		.slots = chain->slots,
		.n = chain->n,
	};
	size_t before = thread->joins.nodes.n, unused;

	if ((chain->end != UNWIND_ROOT && chain->end != UNWIND_TRUNCATED) ||
		!affords(thread, chain->n))
		return false;
	if (chain->end == UNWIND_ROOT) {
		joins_add_whole(&thread->joins, &stack);
	} else {
		joins_add_cut(&thread->joins, &stack);
		*array_push(&thread->positions) = place->position;
	}
	unused = before + chain->n - thread->joins.nodes.n;
	reader_returns(thread->unwinding->reader,
		2 * unused * sizeof(struct joins_node));
	return chain->end == UNWIND_TRUNCATED;
}

/* How many entries of SAMPLE's own chain are before its user's part. */
static uint64_t kernel_part(const struct sample *sample)
{
	uint64_t i;

	for (i = 0; i < sample->n_chain; i++)
		if (sample_chain_entry(sample, i) == PERF_CONTEXT_USER)
			break;
	return i;
}

/* Entry I of SAMPLE's own chain as chains are here: at the call. */
static uint64_t own_entry(const struct sample *sample, uint64_t user, uint64_t i)
{
	return sample_chain_entry(sample, i) - (i > user + 1);
}

/* Whether entry I of SAMPLE's own chain and the one before are the last two. */
static bool is_there(const struct sample *sample, uint64_t user, uint64_t i,
	const uint64_t *entries, size_t n)
{
	uint64_t before = i > user + 1 ? own_entry(sample, user, i - 1)
				       : PERF_CONTEXT_USER;

	return i > user && i < sample->n_chain &&
		own_entry(sample, user, i) == entries[n - 1] &&
		before == entries[n - 2];
}

/*
 * Where in SAMPLE's own chain the last two frames of ENTRIES stand, of which it
 * has N; 0: nowhere. In a recursion they may stand at many places: they are as
 * deep as here, but for a caller that the kernel misses.
 */
static uint64_t find_frames(const struct sample *sample, uint64_t user,
	const uint64_t *entries, size_t n)
{
	uint64_t i = sample->n_chain;

	if (is_there(sample, user, n - 1, entries, n))
		return n - 1;
	if (is_there(sample, user, n - 2, entries, n))
		return n - 2;
	while (i-- > user + 1)
		if (is_there(sample, user, i, entries, n))
			return i;
	return 0;
}

/*
 * Where the rules end, the kernel's own chain by frame pointers may lead on: if
 * it has been at the same place. Appends to ENTRIES at N.
 */
static size_t splice(struct unwinding_thread *thread,
	const struct sample *sample, uint64_t user, uint64_t *entries,
	size_t n)
{
	uint64_t i = find_frames(sample, user, entries, n);
	size_t own = n;

	if (!i || i + 1 == sample->n_chain)
		return n;
	thread->counts.spliced++;
	while (++i < sample->n_chain &&
		n < UNWINDING_CHAIN_MAX - ORIGIN_MARK_MAX)
		entries[n++] = own_entry(sample, user, i);
	return origin_put(ORIGIN_FRAMES, entries, n, own);
}

static void put_chain(struct unwinding_thread *thread,
	const struct unwind_chain *chain, struct sample *sample)
{
	uint64_t *entries = thread->entries + thread->n_entries;
	uint64_t user = kernel_part(sample), i;
	size_t n = 0, frames;

	for (i = 0; i < user && n < UNWINDING_CHAIN_MAX - 1; i++)
		entries[n++] = sample_chain_entry(sample, i);
	entries[n++] = PERF_CONTEXT_USER;
	frames = MIN(chain->n, UNWINDING_CHAIN_MAX - n);
	memcpy(entries + n, chain->pcs, frames * sizeof(*entries));
	n += frames;
	if (chain->end != UNWIND_ROOT && chain->end != UNWIND_TRUNCATED &&
		frames)
		n = splice(thread, sample, user, entries, n);
	thread->n_entries += n;
	sample->chain = (const uint8_t *)entries;
	sample->n_chain = n;
}

/* The kernel's own chain is by frame pointers. */
static enum unwinding_result keep_frames(
	struct unwinding_thread *thread, struct sample *sample)
{
	uint64_t *entries = thread->entries + thread->n_entries;
	uint64_t user = kernel_part(sample) + 1, n = sample->n_chain, i;

	if (user >= n || n + ORIGIN_MARK_MAX > UNWINDING_CHAIN_MAX)
		return UNWINDING_NOTHING;
	for (i = 0; i < n; i++)
		entries[i] = sample_chain_entry(sample, i);
	n = origin_put(ORIGIN_FRAMES, entries, n, user);
	thread->n_entries += n;
	sample->chain = (const uint8_t *)entries;
	sample->n_chain = n;
	return UNWINDING_NOTHING;
}

enum unwinding_result unwinding_take(struct unwinding_thread *thread,
	const struct unwinding_place *place, struct sample *sample)
{
	const struct unwinding_stack *stack =
		&thread->stacks[thread->n_taken++];
	const struct unwind_chain *chain = &stack->chain;
	bool is_cut;

	aside_join(sample, thread->joined, ARRAY_SIZE(thread->joined));
	if (thread->n_taken == thread->n_stacks)
		thread->n_taken = thread->n_stacks = 0;
	if (!stack->is_there)
		return keep_frames(thread, sample);
	thread->counts.stacks++;
	thread->counts.ends[chain->end]++;
	thread->counts.guessed += chain->n_guessed > 0;
	if (!chain->n)
		return keep_frames(thread, sample);
	step_into_calls(chain);
	is_cut = remember(thread, place, sample, chain);
	put_chain(thread, chain, sample);
	return is_cut ? UNWINDING_CUT : UNWINDING_DONE;
}

bool unwinding_has_room(const struct unwinding_thread *thread)
{
	return ENTRIES_MAX - thread->n_entries >= UNWINDING_CHAIN_MAX;
}

void unwinding_clear(struct unwinding_thread *thread)
{
	thread->n_entries = 0;
}

uint32_t unwinding_last_cut(const struct unwinding_thread *thread)
{
	return (uint32_t)thread->joins.ends.n - 1;
}

size_t unwinding_complete(const struct unwinding_thread *thread, uint32_t cut,
	uint64_t *out, size_t room)
{
	struct joins_walk walk = joins_callers(&thread->joins, cut);
	size_t n = 0;

	while (n < room && joins_next(&walk, &out[n]))
		n++;
	return n;
}
