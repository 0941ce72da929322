/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two stacks of a thread have in common is unwound once. From one frame
 * on the outer ones depend on nothing but its pc, sp and fp, the rules of the
 * code, which are those of the space, and the words that are read on the way.
 * So where the walk comes to a frame as it was in the last stack, and these
 * words are the same, the callers are. The words are compared before the walk
 * begins: no load waits for another one.
 */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"
#include "common/util/alloc.h"

/* Where words can be read from, and which bits of a pc are told. */
struct view {
	const uint8_t *bytes;
	uint64_t start, words, mask;
};

static struct view view_of(
	const struct unwinder *unwinder, const struct unwind_memory *memory)
{
	return (struct view){ memory->bytes, memory->start,
		memory->size < 8 ? 0 : memory->size - 7,
		unwinder->arch == UNWIND_AARCH64 ? UNWIND_ARM_ADDRESS
						 : UINT64_MAX };
}

static uint64_t pc_at(const struct unwind_known *known)
{
	return known->sp - (uint64_t)known->pc_below;
}

static uint64_t fp_at(const struct unwind_known *known)
{
	return known->sp - (uint64_t)known->fp_below;
}

/* Whether the step that led here can be judged by the copy. */
static bool is_plain(const struct view *view, const struct unwind_known *known)
{
	return known->sp && pc_at(known) - view->start < view->words &&
		(!known->fp_below ||
			fp_at(known) - view->start < view->words);
}

static uint64_t load(const struct view *view, uint64_t address)
{
	uint64_t word;

	memcpy(&word, view->bytes + (address - view->start), sizeof(word));
	return word;
}

static bool is_same(const struct view *view, const struct unwind_known *known)
{
	return (load(view, pc_at(known)) & view->mask) == known->pc &&
		(!known->fp_below || load(view, fp_at(known)) == known->fp);
}

void unwind_memo_fetch(
	const struct unwinder *unwinder, const struct unwind_memory *memory)
{
	const struct unwind_memo *memo =
		&unwinder->memos[memory->thread % UNWIND_MEMOS];
	size_t i;

	for (i = 0; i < memo->n; i++) {
		uint64_t at = pc_at(&memo->at[i]) - memory->start;

		if (at < memory->size)
			__builtin_prefetch(memory->bytes + at);
	}
}

static struct unwind_known *make_known(void)
{
	return xmalloc(UNWIND_KNOWN_MAX * sizeof(struct unwind_known));
}

void unwind_memo_begin(struct unwind_walk *walk, size_t number)
{
	struct unwinder *unwinder = walk->unwinder;
	struct view view = view_of(unwinder, walk->memory);
	struct unwind_memo *memo;
	const struct unwind_known *known;

	if (!walk->memory->thread || !walk->space->id)
		return;
	memo = &unwinder->memos[walk->memory->thread % UNWIND_MEMOS];
	walk->memo = memo;
	walk->spare = &unwinder->spares[number];
	if (!*walk->spare)
		*walk->spare = make_known();
	walk->known = *walk->spare;
	walk->known_max = UNWIND_KNOWN_MAX;
	unwind_memo_break(walk);
	if (memo->space != walk->space->id || !memo->n)
		return;
	known = walk->same_end = memo->at + memo->n;
	while (known > memo->at &&
		(!is_plain(&view, known - 1) || is_same(&view, known - 1)))
		known--;
	walk->same = known;
	if (known < walk->same_end)
		walk->same_sp = known->sp;
}

void unwind_memo_join(struct unwind_walk *walk)
{
	struct view view = view_of(walk->unwinder, walk->memory);
	const struct unwind_known *at = walk->same, *end = walk->same_end;
	size_t before = walk->chain->n;

	while (at < end && at->sp < walk->sp)
		at++;
	if (at < end && at->sp == walk->sp && at->pc == walk->pc &&
		at->fp == walk->fp) {
		while (++at < end && is_plain(&view, at) && unwind_push(walk)) {
			walk->pc = at->pc;
			walk->sp = at->sp;
			walk->fp = at->fp;
			walk->slot = pc_at(at);
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
