/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own chain of frame pointers, where a copy says no more. */
#include "config.h"

#include "report/unwind/unwinding.h"

#include "common/perf/frame_origin.h"
#include "common/unwind/cfi.h"
#include "common/unwind/cfi_rule.h"
#include "report/unwind/unwinding_private.h"

uint64_t unwinding_kernel_part(const struct sample *sample)
{
	uint64_t i;

	for (i = 0; i < sample->n_chain; i++)
		if (sample_chain_entry(sample, i) == PERF_CONTEXT_USER)
			break;
	return i;
}

/* Whether entry I of SAMPLE's own chain is PC, which may be in its call. */
static bool is_entry(const struct sample *sample, uint64_t i, uint64_t pc)
{
	return sample_chain_entry(sample, i) - pc <= 1;
}

/* Whether entry I of SAMPLE's own chain and the one before are the last two. */
static bool is_there(const struct sample *sample, uint64_t user, uint64_t i,
	const uint64_t *entries, size_t n)
{
	return i > user && i < sample->n_chain &&
		is_entry(sample, i, entries[n - 1]) &&
		is_entry(sample, i - 1, entries[n - 2]);
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
 * PC as chains are here: at the call. False: no code is mapped there, so nobody
 * called from there. A register of code without frame pointers led there.
 */
static bool find_call(
	const struct unwinding_stack *stack, uint64_t pc, uint64_t *ret)
{
	struct unwind_code code;

	if (pc >= ABI_CONTEXT_FIRST ||
		!codes_find(stack->code.codes, stack->code.space, pc - 1, &code))
		return false;
	/* Where signal handlers return to is behind no call. */
	*ret = pc -
		!(code.cfi && cfi_rule(code.cfi, pc - 1 - code.bias) == CFI_SIGNAL);
	return true;
}

/* Appends SAMPLE's own callers from entry I on. */
static size_t put_callers(const struct unwinding_stack *stack,
	const struct sample *sample, uint64_t i, uint64_t *entries, size_t n)
{
	while (i < sample->n_chain &&
		n < UNWINDING_CHAIN_MAX - ORIGIN_MARK_MAX &&
		find_call(stack, sample_chain_entry(sample, i), &entries[n])) {
		n++;
		i++;
	}
	return n;
}

size_t unwinding_splice(const struct unwinding_stack *stack,
	const struct sample *sample, uint64_t *entries, size_t n)
{
	uint64_t i = find_frames(
		sample, unwinding_kernel_part(sample), entries, n);
	size_t own = n;

	if (i)
		n = put_callers(stack, sample, i + 1, entries, n);
	return origin_put(ORIGIN_FRAMES, entries, n, own);
}

bool unwinding_keep_frames(struct unwinding_thread *thread,
	const struct unwinding_stack *stack, struct sample *sample)
{
	uint64_t *entries = thread->entries + thread->n_entries;
	size_t own = unwinding_kernel_part(sample) + 1, n, i;

	if (own >= sample->n_chain || own + 1 + ORIGIN_MARK_MAX >
			UNWINDING_CHAIN_MAX)
		return false;
	for (i = 0; i <= own; i++)
		entries[i] = sample_chain_entry(sample, i);
	n = put_callers(stack, sample, own + 1, entries, own + 1);
	sample->n_chain = origin_put(ORIGIN_FRAMES, entries, n, own);
	sample->chain = (const uint8_t *)entries;
	thread->n_entries += sample->n_chain;
	return n > own + 1;
}
