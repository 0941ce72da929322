/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outer frames that a stack has in common with the last stack of the same
 * thread are not unwound again. The outer frames depend only on a frame's pc,
 * sp and fp, on the rules of the address space, and on the words that are read
 * while unwinding. So if unwinding reaches a frame with the same registers as
 * in the last stack, and these words are unchanged, the callers are the same.
 * The words are compared before unwinding begins, so that no load waits for
 * another load.
 */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"
#include "common/util/alloc.h"

/*
 * The words of a stack copy. .words: number of offsets at which a word begins.
 * .mask: bits of a pc without signature.
 */
struct memo_copy {
	const uint8_t *bytes;
	uint64_t start, words, mask;
};

static struct memo_copy view_copy(
	const struct unwinder *unwinder, const struct unwind_memory *memory)
{
	return (struct memo_copy){ memory->bytes, memory->start,
		memory->size < 8 ? 0 : memory->size - 7,
		unwinder->arch == UNWIND_AARCH64 ? UNWIND_ARM_ADDRESS
						 : UINT64_MAX };
}

static uint64_t known_pc_address(const struct unwind_known *known)
{
	return known->sp - (uint64_t)known->pc_below;
}

static uint64_t known_fp_address(const struct unwind_known *known)
{
	return known->sp - (uint64_t)known->fp_below;
}

/*
 * Returns true if the stack copy contains the words from which the frame KNOWN
 * was unwound.
 */
static bool is_plain_frame(
	const struct memo_copy *view, const struct unwind_known *known)
{
	return known->sp &&
		known_pc_address(known) - view->start < view->words &&
		(!known->fp_below ||
			known_fp_address(known) - view->start < view->words);
}

static uint64_t load_view_word(const struct memo_copy *view, uint64_t address)
{
	uint64_t word;

	memcpy(&word, view->bytes + (address - view->start), sizeof(word));
	return word;
}

static bool is_unchanged_frame(
	const struct memo_copy *view, const struct unwind_known *known)
{
	return (load_view_word(view, known_pc_address(known)) & view->mask) ==
		known->pc &&
		(!known->fp_below ||
			load_view_word(view, known_fp_address(known)) ==
				known->fp);
}

void unwind_memo_fetch(
	const struct unwinder *unwinder, const struct unwind_memory *memory)
{
	const struct unwind_memo *memo =
		&unwinder->memos[memory->thread % UNWIND_MEMOS];
	size_t i;

	for (i = 0; i < memo->n; i++) {
		uint64_t at = known_pc_address(&memo->at[i]) - memory->start;

		if (at < memory->size)
			__builtin_prefetch(memory->bytes + at);
	}
}

void unwind_memo_begin(struct unwind_walk *walk, size_t number)
{
	struct unwinder *unwinder = walk->unwinder;
	struct memo_copy view = view_copy(unwinder, walk->memory);
	struct unwind_memo *memo;
	const struct unwind_known *known;

	if (!walk->memory->thread || !walk->space->id)
		return;
	memo = &unwinder->memos[walk->memory->thread % UNWIND_MEMOS];
	walk->memo = memo;
	walk->spare = &unwinder->spares[number];
	if (!*walk->spare)
		*walk->spare =
			xmalloc(UNWIND_KNOWN_MAX * sizeof(struct unwind_known));
	walk->known = *walk->spare;
	walk->known_max = UNWIND_KNOWN_MAX;
	unwind_memo_break(walk);
	if (memo->space != walk->space->id || !memo->n)
		return;
	known = walk->same_end = memo->at + memo->n;
	while (known > memo->at &&
		(!is_plain_frame(&view, known - 1) ||
			is_unchanged_frame(&view, known - 1)))
		known--;
	walk->same = known;
	if (known < walk->same_end)
		walk->same_sp = known->sp;
}

void unwind_memo_join(struct unwind_walk *walk)
{
	struct memo_copy view = view_copy(walk->unwinder, walk->memory);
	const struct unwind_known *at = walk->same, *end = walk->same_end;
	size_t before = walk->chain->n;

	while (at < end && at->sp < walk->sp)
		at++;
	if (at < end && at->sp == walk->sp && at->pc == walk->pc &&
		at->fp == walk->fp) {
		while (++at < end && is_plain_frame(&view, at) &&
			unwind_push(walk)) {
			walk->pc = at->pc;
			walk->sp = at->sp;
			walk->fp = at->fp;
			walk->slot = known_pc_address(at);
			if (walk->chain->n < walk->known_max)
				walk->known[walk->chain->n] = *at;
		}
	}
	walk->unwinder->counts.n_reused += walk->chain->n - before;
	walk->same = at;
	walk->same_sp = at < end ? at->sp : UINT64_MAX;
}

void unwind_memo_break(struct unwind_walk *walk)
{
	if (walk->chain->n < walk->known_max)
		walk->known[walk->chain->n] = (struct unwind_known){ 0 };
}

void unwind_memo_end(struct unwind_walk *walk)
{
	struct unwind_memo *memo = walk->memo;
	struct unwind_known *old;

	if (!memo)
		return;
	old = memo->at;
	memo->space = walk->space->id;
	memo->n = MIN(walk->chain->n, walk->known_max);
	memo->at = walk->known;
	*walk->spare = old;
}
