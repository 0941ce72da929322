/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds frames without rules by guesses, which unwind_code.c makes from the
 * instructions of the frames.
 *
 * The code may have changed since the sample was taken, and the boundaries of
 * the instructions searched are unknown. So a result is used only if it leads
 * to an address after a call instruction, or into an interpreter's frame.
 */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_arch.h"
#include "common/unwind/unwind_private.h"

/*
 * Returns the cached result of unwind_read_code() for walk->pc, or reads the
 * code. A refused result is returned only if ACCEPTS_REFUSED.
 */
static struct unwind_known_guess *find_known_guess(
	struct unwind_walk *walk, bool accepts_refused)
{
	struct unwind_known_guess *known =
		&walk->unwinder->guesses[unwind_hash((uint32_t)walk->space->id,
						 walk->pc) %
			UNWIND_GUESSES];

	if (known->space == walk->space->id && known->pc == walk->pc &&
		known->is_exact == walk->is_exact &&
		(accepts_refused || !known->is_refused))
		return known;
	known->space = walk->space->id;
	known->pc = walk->pc;
	known->is_exact = walk->is_exact;
	unwind_read_code(walk, known);
	return known;
}

static bool read_copy_word(
	const struct unwind_walk *walk, uint64_t address, uint64_t *ret)
{
	uint64_t at = address - walk->memory->start;

	if (walk->memory->size < sizeof(*ret) ||
		at > walk->memory->size - sizeof(*ret))
		return false;
	memcpy(ret, walk->memory->bytes + at, sizeof(*ret));
	return true;
}

/*
 * Returns true if FP points to a frame of which the return address follows a
 * call instruction or an interpreter's jump.
 */
static bool is_fp_frame(struct unwind_walk *walk, uint64_t sp, uint64_t fp)
{
	uint64_t pc;

	return fp >= sp && !(fp & 7) && read_copy_word(walk, fp + 8, &pc) &&
		(unwind_is_called(walk, pc) ||
			unwind_is_after(walk, pc, unwind_ends_with_jump));
}

static bool apply_guess(
	struct unwind_walk *walk, const struct unwind_guess *guess)
{
	uint64_t slot = walk->sp + guess->offset, pc, fp = walk->fp;

	/*
	 * The pc read from slot must be a return address: it follows a call
	 * instruction, or an interpreter's jump, if fp points to a valid frame.
	 * Interpreters that jump to the code they call keep frame pointers.
	 */
	if (!read_copy_word(walk, slot, &pc) ||
		(guess->has_fp &&
			!read_copy_word(walk, walk->sp + guess->fp_at, &fp)) ||
		!(unwind_is_called(walk, pc) ||
			(unwind_is_after(walk, pc, unwind_ends_with_jump) &&
				is_fp_frame(walk, slot + 8, fp))) ||
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

/* Longest code from the start of a function to a pc in it, in bytes. */
#define FUNCTION_MAX 4096u

/* Returns true if the function that begins at START contains walk->pc. */
static bool is_inside(const struct unwind_walk *walk, uint64_t start)
{
	const struct unwind_space *space = walk->space;
	uint8_t code[FUNCTION_MAX + 3];
	uint64_t i, n = walk->pc - start;

	if (n >= FUNCTION_MAX ||
		space->code(space->data, start, code, n + 3) != n + 3)
		return false;
	for (i = 1; i < n; i++)
		if (unwind_ends_function(code + i - 1, start + i + 1))
			return false;
	return true;
}

/*
 * Returns true if the word at the stack pointer is the return address of a direct call of
 * the function of walk->pc: the function has pushed nothing. Functions that call no other
 * ones often do not. KNOWN is that of walk->pc.
 */
static bool is_called_here(
	const struct unwind_walk *walk, struct unwind_known_guess *known)
{
	const struct unwind_space *space = walk->space;
	uint8_t call[5];
	uint64_t pc, start;
	int32_t distance;

	if (!read_copy_word(walk, walk->sp, &pc) ||
		space->code(space->data, pc - sizeof(call), call,
			sizeof(call)) != sizeof(call) ||
		call[0] != 0xe8)
		return false;
	memcpy(&distance, call + 1, sizeof(distance));
	start = pc + (uint64_t)(int64_t)distance;
	if (known->start != start) {
		known->start = start;
		known->is_inside = is_inside(walk, start);
	}
	return known->is_inside;
}

bool unwind_is_sigreturn(struct unwind_walk *walk)
{
	return walk->space->code && find_known_guess(walk, false)->is_sigreturn;
}

bool unwind_lacks_fp(struct unwind_walk *walk)
{
	return unwind_has_code(walk) && find_known_guess(walk, true)->lacks_fp;
}

bool unwind_step_code(struct unwind_walk *walk)
{
	struct unwind_known_guess *known;
	unsigned i;

	if (!unwind_has_code(walk))
		return false;
	known = find_known_guess(walk, false);
	if (!known->is_sure) {
		if (walk->is_exact && is_called_here(walk, known) &&
			apply_guess(walk, &(struct unwind_guess){ 0 }))
			return true;
		if (is_fp_frame(walk, walk->sp, walk->fp) &&
			!(known->lacks_fp &&
				unwind_fp_skips_caller(walk, walk->fp + 8)))
			return false;
	}
	for (i = 0; i < known->n; i++)
		if (apply_guess(walk, &known->guesses[i]))
			return true;
	/* The code may have changed. */
	known->is_refused = known->n;
	return false;
}
