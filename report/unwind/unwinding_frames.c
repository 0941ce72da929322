/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Continues unwound chains with the kernel's chain of frame pointers. */
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

/* Whether entry I of SAMPLE's own chain is PC or the address before it. */
static bool is_entry_at(const struct sample *sample, uint64_t i, uint64_t pc)
{
	return sample_chain_entry(sample, i) - pc <= 1;
}

/*
 * Whether entries I - 1 and I of SAMPLE's own chain are the last two ENTRIES.
 */
static bool has_frames_at(const struct sample *sample, uint64_t user,
	uint64_t i, const uint64_t *entries, size_t n)
{
	return i > user && i < sample->n_chain &&
		is_entry_at(sample, i, entries[n - 1]) &&
		is_entry_at(sample, i - 1, entries[n - 2]);
}

/*
 * Returns the index in SAMPLE's own chain of the last of N ENTRIES, whose last
 * two frames must match; 0: not found. In a recursion they match at several
 * indexes: first the same depth is tried, then one less, because the kernel may
 * miss one caller.
 */
static uint64_t find_last_frames(const struct sample *sample, uint64_t user,
	const uint64_t *entries, size_t n)
{
	uint64_t i = sample->n_chain;

	if (has_frames_at(sample, user, n - 1, entries, n))
		return n - 1;
	if (has_frames_at(sample, user, n - 2, entries, n))
		return n - 2;
	while (i-- > user + 1)
		if (has_frames_at(sample, user, i, entries, n))
			return i;
	return 0;
}

/*
 * Sets *RET to the address of the call before PC. Returns false if no code is
 * mapped there: then the frame pointer register was used for something else.
 */
static bool find_call_address(
	const struct unwinding_stack *stack, uint64_t pc, uint64_t *ret)
{
	struct unwind_code code;

	if (pc >= ABI_CONTEXT_FIRST ||
		!address_rules_find(
			stack->code.rules, stack->code.space, pc - 1, &code))
		return false;
	/* The return address of a signal handler is not behind a call. */
	*ret = pc -
		!(code.cfi &&
			cfi_rule(code.cfi, pc - 1 - code.bias) == CFI_SIGNAL);
	return true;
}

/* Appends SAMPLE's own callers, from entry I on. */
static size_t append_own_callers(const struct unwinding_stack *stack,
	const struct sample *sample, uint64_t i, uint64_t *entries, size_t n)
{
	while (i < sample->n_chain &&
		n < UNWINDING_CHAIN_MAX - ORIGIN_MARK_MAX &&
		find_call_address(
			stack, sample_chain_entry(sample, i), &entries[n])) {
		n++;
		i++;
	}
	return n;
}

size_t unwinding_splice(const struct unwinding_stack *stack,
	const struct sample *sample, uint64_t *entries, size_t n)
{
	uint64_t i = find_last_frames(
		sample, unwinding_kernel_part(sample), entries, n);
	size_t own = n;

	if (i)
		n = append_own_callers(stack, sample, i + 1, entries, n);
	return frame_origin_put(ORIGIN_FRAMES, entries, n, own);
}

bool unwinding_keep_frames(struct unwinding_thread *thread,
	const struct unwinding_stack *stack, struct sample *sample)
{
	uint64_t *entries = thread->entries + thread->n_entries;
	size_t own = unwinding_kernel_part(sample) + 1, n, i;

	if (own >= sample->n_chain ||
		own + 1 + ORIGIN_MARK_MAX > UNWINDING_CHAIN_MAX)
		return false;
	for (i = 0; i <= own; i++)
		entries[i] = sample_chain_entry(sample, i);
	n = append_own_callers(stack, sample, own + 1, entries, own + 1);
	sample->n_chain = frame_origin_put(ORIGIN_FRAMES, entries, n, own);
	sample->chain = (const uint8_t *)entries;
	thread->n_entries += sample->n_chain;
	return n > own + 1;
}
