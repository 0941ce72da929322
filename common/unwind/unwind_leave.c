/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames without rules are left by what their instructions say (unwind_code.c).
 *
 * Bytes may be others than when the sample was taken, and of those that are
 * searched it isn't known where instructions begin. So what comes out is taken
 * only if it leads to an address behind a call, or into an interpreter's frame.
 */
#include "config.h"

#include "common/unwind/calls.h"
#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

/* What was read at this pc is kept. */
static struct unwind_known_leave *find_leaves(struct unwind_walk *walk)
{
	struct unwind_known_leave *known = &walk->unwinder->leaves[
		unwind_hash((uint32_t)walk->space->id, walk->pc) %
		UNWIND_LEAVES];

	if (known->space == walk->space->id && known->pc == walk->pc &&
		known->is_exact == walk->is_exact)
		return known;
	known->space = walk->space->id;
	known->pc = walk->pc;
	known->is_exact = walk->is_exact;
	unwind_read_code(walk, known);
	return known;
}

static bool is_behind(struct unwind_walk *walk, uint64_t pc,
	bool (*ends_here)(enum unwind_arch, const uint8_t *, size_t))
{
	const struct unwind_space *space = walk->space;
	uint8_t bytes[CALLS_BYTES];

	return unwind_find(walk->unwinder, space, pc - 1) &&
		space->code(space->data, pc - sizeof(bytes), bytes,
			sizeof(bytes)) == sizeof(bytes) &&
		ends_here(walk->unwinder->arch, bytes, sizeof(bytes));
}

bool unwind_is_called(struct unwind_walk *walk, uint64_t pc)
{
	return is_behind(walk, pc, calls_end_here);
}

static bool read_word(
	const struct unwind_walk *walk, uint64_t address, uint64_t *ret)
{
	uint64_t at = address - walk->memory->start;

	if (walk->memory->size < sizeof(*ret) ||
		at > walk->memory->size - sizeof(*ret))
		return false;
	memcpy(ret, walk->memory->bytes + at, sizeof(*ret));
	return true;
}

/* The frame pointer FP leads on, too: behind a call, or into an interpreter. */
static bool is_fp_frame(struct unwind_walk *walk, uint64_t sp, uint64_t fp)
{
	uint64_t pc;

	return fp >= sp && !(fp & 7) && read_word(walk, fp + 8, &pc) &&
		(unwind_is_called(walk, pc) ||
			is_behind(walk, pc, calls_jump_ends_here));
}

/* An interpreter that jumps to what it calls keeps a frame pointer. */
static bool is_caller(
	struct unwind_walk *walk, uint64_t pc, uint64_t slot, uint64_t fp)
{
	return unwind_is_called(walk, pc) ||
		(is_behind(walk, pc, calls_jump_ends_here) &&
			is_fp_frame(walk, slot + 8, fp));
}

static bool leave(struct unwind_walk *walk, const struct unwind_leave *leave)
{
	uint64_t slot = walk->sp + leave->offset, pc, fp = walk->fp;

	if (!read_word(walk, slot, &pc) ||
		(leave->has_fp &&
			!read_word(walk, walk->sp + leave->fp_at, &fp)) ||
		!is_caller(walk, pc, slot, fp) ||
		unwind_skips_caller(walk, slot, pc, fp))
		return false;
	walk->pc = pc;
	walk->slot = slot;
	walk->sp = slot + 8;
	walk->fp = fp;
	walk->is_exact = false;
	walk->chain->n_guessed++;
	return true;
}

bool unwind_is_sigreturn(struct unwind_walk *walk)
{
	return unwind_has_code(walk) && find_leaves(walk)->is_sigreturn;
}

bool unwind_step_code(struct unwind_walk *walk)
{
	struct unwind_known_leave *known;
	unsigned i;

	if (!unwind_has_code(walk))
		return false;
	known = find_leaves(walk);
	if (!known->is_sure && is_fp_frame(walk, walk->sp, walk->fp))
		return false;
	for (i = 0; i < known->n; i++)
		if (leave(walk, &known->leaves[i]))
			return true;
	/* There may be other code by now. */
	if (known->n)
		known->space = 0;
	return false;
}
