/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognizes the outermost frame of a stack if no rule marks the frame. */
#include "config.h"

#include "common/unwind/cfi_program.h"
#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

/* Limit of stack words that are searched for a return address. */
#define WORDS_MAX 64u

/*
 * Returns true if PC is one byte after the start of a CFI row. A call
 * instruction is longer than one byte, so no call pushed PC.
 */
static bool is_put_address(struct unwind_walk *walk, uint64_t pc)
{
	const struct unwind_region *region =
		unwind_find(walk->unwinder, walk->space, pc - 1);
	const struct cfi_section *unused;
	struct cfi_row row;

	return region && region->cfi &&
		cfi_row(region->cfi, pc - 1 - region->bias, &row, &unused) &&
		row.start == pc - 1 - region->bias;
}

/*
 * Go's runtime makes goroutines return to the start of goexit() plus 1, after a
 * nop. By the rules of goexit(), the next return address is the 0 at the start
 * of the goroutine's stack.
 */
bool unwind_stop_at_zero(struct unwind_walk *walk)
{
	const struct unwind_chain *chain = walk->chain;
	uint32_t next = 0;

	if (chain->n > 1 && walk->unwinder->arch == UNWIND_X86_64 &&
		!unwind_is_exact(chain, chain->n - 1, &next) &&
		is_put_address(walk, chain->pcs[chain->n - 1]))
		return unwind_stop(walk, UNWIND_ROOT);
	return unwind_stop(walk, UNWIND_ZERO);
}

/*
 * Returns true if PC may be a return address: if a call instruction is before
 * PC, or, if the code cannot be read, if PC has a suitable rule.
 */
static bool is_after_call(struct unwind_walk *walk, uint64_t pc)
{
	const struct unwind_space *space = walk->space;
	const struct unwind_region *region;
	uint32_t rule;
	uint8_t byte;

	if (space->code && space->code(space->data, pc - 1, &byte, 1))
		return unwind_is_called(walk, pc);
	region = unwind_find(walk->unwinder, space, pc - 1);
	rule = region ? unwind_rule(region, pc, false) : CFI_NONE;
	return rule != CFI_NONE && rule != CFI_ROOT && rule != CFI_PADDING;
}

bool unwind_step_clone(struct unwind_walk *walk)
{
	uint64_t pc;

	if (!unwind_load(walk, walk->sp, &pc))
		return false;
	if (!is_after_call(walk, pc))
		return unwind_stop(walk, UNWIND_ROOT);
	walk->pc = pc;
	walk->slot = walk->sp;
	walk->sp += 8;
	walk->is_exact = false;
	return true;
}

/*
 * Returns true if PC is after the call instruction by which musl's clone()
 * starts a thread. musl sets the frame pointer to zero before the call, and
 * ends the thread after the call. The code is assembly without rules. The
 * results are cached, because each frame without rules is checked.
 */
static bool is_after_thread_start(struct unwind_walk *walk, uint64_t pc)
{
	static const uint8_t start[] = {
		0x31, 0xed,	  /* xor %ebp, %ebp */
		0x5f,		  /* pop %rdi */
		0x41, 0xff, 0xd1, /* call *%r9 */
		0x89, 0xc7,	  /* mov %eax, %edi */
		0x31, 0xc0,	  /* xor %eax, %eax */
		0xb0, 0x3c,	  /* mov $60, %al: exit */
		0x0f, 0x05,	  /* syscall */
	};
	const struct unwind_space *space = walk->space;
	uint8_t bytes[sizeof(start)];
	struct unwind_known_start *known =
		&walk->unwinder->starts[unwind_hash((uint32_t)space->id, pc) %
			UNWIND_STARTS];

	if (!known->space || known->space != space->id || known->pc != pc)
		*known = (struct unwind_known_start){ space->id, pc,
			space->code(space->data, pc - 6, bytes,
				sizeof(bytes)) == sizeof(bytes) &&
				memcmp(bytes, start, sizeof(bytes)) == 0 };
	return known->is_start;
}

static uint32_t rule_before(struct unwind_walk *walk, uint64_t pc)
{
	return unwind_rule(
		unwind_find(walk->unwinder, walk->space, pc - 1), pc, false);
}

static bool is_root_address(struct unwind_walk *walk, uint64_t pc)
{
	return rule_before(walk, pc) == CFI_ROOT ||
		is_after_thread_start(walk, pc);
}

/*
 * Finds the first of N stack words at the address FROM that follows a call
 * instruction. Every return address does, so no return address is before this
 * word. Returns false if no such word is found, or if a word before it might be
 * a return address but cannot be checked.
 */
static bool find_return_address(struct unwind_walk *walk, uint64_t from,
	uint64_t n, uint64_t *slot_ret, uint64_t *pc_ret)
{
	const struct unwind_space *space = walk->space;
	uint64_t i;

	for (i = 0; i < n; i++) {
		uint8_t byte;

		*slot_ret = from + i * sizeof(*pc_ret);
		if (!unwind_load(walk, *slot_ret, pc_ret))
			return false;
		if (!unwind_find(walk->unwinder, space, *pc_ret - 1))
			continue;
		if (unwind_is_called(walk, *pc_ret))
			return true;
		if (!space->code(space->data, *pc_ret - 1, &byte, 1))
			return false;
	}
	return false;
}

bool unwind_is_deepest(struct unwind_walk *walk, uint64_t from)
{
	uint64_t slot, pc;

	return !unwind_has_code(walk) ||
		!find_return_address(walk, from, WORDS_MAX, &slot, &pc);
}

bool unwind_skips_caller(
	struct unwind_walk *walk, uint64_t slot, uint64_t pc, uint64_t fp)
{
	uint64_t first, called;

	return unwind_has_code(walk) &&
		(is_root_address(walk, pc) ||
			(!fp && rule_before(walk, pc) == CFI_NONE)) &&
		find_return_address(
			walk, walk->sp, WORDS_MAX, &first, &called) &&
		first != slot;
}

bool unwind_fp_skips_caller(struct unwind_walk *walk, uint64_t slot)
{
	uint64_t n = (slot - walk->sp) / sizeof(slot), first, called;

	return find_return_address(
		walk, walk->sp, MIN(n, (uint64_t)WORDS_MAX), &first, &called);
}

bool unwind_is_thread_start(struct unwind_walk *walk)
{
	return unwind_has_code(walk) && !walk->is_exact &&
		is_after_thread_start(walk, walk->pc);
}

bool unwind_step_to_start(struct unwind_walk *walk)
{
	uint64_t slot, pc;

	if (!unwind_has_code(walk) ||
		!find_return_address(walk, walk->sp, WORDS_MAX, &slot, &pc) ||
		!is_root_address(walk, pc))
		return false;
	walk->pc = pc;
	walk->slot = slot;
	walk->sp = slot + sizeof(pc);
	walk->is_exact = false;
	walk->chain->n_guessed++;
	return true;
}
