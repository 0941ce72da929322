/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where stacks begin, though no rule says so. */
#include "config.h"

#include "common/unwind/cfi_program.h"
#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

/* How far away the beginning is looked for. */
#define WORDS_MAX 64u

/* Whether PC is one byte behind an instruction's beginning: no call is so short. */
static bool is_put(struct unwind_walk *walk, uint64_t pc)
{
	const struct unwind_here *here =
		unwind_find(walk->unwinder, walk->space, pc - 1);
	const struct cfi_section *unused;
	struct cfi_row row;

	return here && here->cfi &&
		cfi_row(here->cfi, pc - 1 - here->bias, &row, &unused) &&
		row.start == pc - 1 - here->bias;
}

/*
 * Go's runtime has goroutines return to where goexit() begins, but for a nop; its
 * rules lead on from there, to the 0 that lies where a new stack begins.
 */
bool unwind_stop_at_zero(struct unwind_walk *walk)
{
	const struct unwind_chain *chain = walk->chain;
	uint32_t next = 0;

	if (chain->n > 1 && walk->unwinder->arch == UNWIND_X86_64 &&
		!unwind_is_exact(chain, chain->n - 1, &next) &&
		is_put(walk, chain->pcs[chain->n - 1]))
		return unwind_stop(walk, UNWIND_ROOT);
	return unwind_stop(walk, UNWIND_ZERO);
}

/* PC may be where a call returns to; without bytes, as far as rules tell. */
static bool is_behind_call(struct unwind_walk *walk, uint64_t pc)
{
	const struct unwind_space *space = walk->space;
	const struct unwind_here *here;
	uint32_t rule;
	uint8_t byte;

	if (space->code && space->code(space->data, pc - 1, &byte, 1))
		return unwind_is_called(walk, pc);
	here = unwind_find(walk->unwinder, space, pc - 1);
	rule = here ? unwind_rule(here, pc, false) : CFI_NONE;
	return rule != CFI_NONE && rule != CFI_ROOT && rule != CFI_PADDING;
}

bool unwind_step_clone(struct unwind_walk *walk)
{
	uint64_t pc;

	if (!unwind_load(walk, walk->sp, &pc))
		return false;
	if (!is_behind_call(walk, pc))
		return unwind_stop(walk, UNWIND_ROOT);
	walk->pc = pc;
	walk->slot = walk->sp;
	walk->sp += 8;
	walk->is_exact = false;
	return true;
}

/*
 * Behind the call by which musl's clone() begins a thread, whose frame pointer it
 * has set to zero before and which it ends when that returns. It is assembly, and
 * has no rules.
 */
static bool read_start(const struct unwind_walk *walk, uint64_t pc)
{
	static const uint8_t start[] = {
		0x31, 0xed,       /* xor %ebp, %ebp */
		0x5f,             /* pop %rdi */
		0x41, 0xff, 0xd1, /* call *%r9 */
		0x89, 0xc7,       /* mov %eax, %edi */
		0x31, 0xc0,       /* xor %eax, %eax */
		0xb0, 0x3c,       /* mov $60, %al: exit */
		0x0f, 0x05,       /* syscall */
	};
	const struct unwind_space *space = walk->space;
	uint8_t bytes[sizeof(start)];

	return space->code(space->data, pc - 6, bytes, sizeof(bytes)) ==
		sizeof(bytes) &&
		memcmp(bytes, start, sizeof(bytes)) == 0;
}

/* What was read at this pc is kept: each frame that is guessed asks. */
static bool is_behind_start(struct unwind_walk *walk, uint64_t pc)
{
	struct unwind_known_start *known = &walk->unwinder->starts[
		unwind_hash((uint32_t)walk->space->id, pc) % UNWIND_STARTS];

	if (!known->space || known->space != walk->space->id ||
		known->pc != pc)
		*known = (struct unwind_known_start){ walk->space->id, pc,
			read_start(walk, pc) };
	return known->is_start;
}

static uint32_t rule_of(struct unwind_walk *walk, uint64_t pc)
{
	return unwind_rule(
		unwind_find(walk->unwinder, walk->space, pc - 1), pc, false);
}

static bool is_root(struct unwind_walk *walk, uint64_t pc)
{
	return rule_of(walk, pc) == CFI_ROOT || is_behind_start(walk, pc);
}

/*
 * The first word from FROM on that leads behind a call. Each return address does,
 * so no caller lies before it; what can't be read might be one.
 */
static bool find_called(struct unwind_walk *walk, uint64_t from,
	uint64_t *slot_ret, uint64_t *pc_ret)
{
	const struct unwind_space *space = walk->space;
	size_t i;

	for (i = 0; i < WORDS_MAX; i++) {
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

	return !unwind_has_code(walk) || !find_called(walk, from, &slot, &pc);
}

/*
 * Whoever made this stack (makecontext() does) put a function's beginning where
 * its first return leads to. The kernel does so, too, for a signal's handler. What
 * a frame pointer led to may be any pointer to a function.
 */
bool unwind_step_put(struct unwind_walk *walk)
{
	if (unwind_is_sigreturn(walk))
		return unwind_step_signal(walk);
	return unwind_stop(walk,
		unwind_is_followed(walk) && !unwind_is_deepest(walk, walk->sp)
			? UNWIND_NO_RULE
			: UNWIND_ROOT);
}

bool unwind_skips_caller(struct unwind_walk *walk, uint64_t slot, uint64_t pc,
	uint64_t fp)
{
	uint64_t first, called;

	return unwind_has_code(walk) &&
		(is_root(walk, pc) ||
			(!fp && rule_of(walk, pc) == CFI_NONE)) &&
		find_called(walk, walk->sp, &first, &called) && first != slot;
}

bool unwind_is_begun(struct unwind_walk *walk)
{
	return unwind_has_code(walk) && !walk->is_exact &&
		is_behind_start(walk, walk->pc);
}

bool unwind_step_begin(struct unwind_walk *walk)
{
	uint64_t slot, pc;

	if (!unwind_has_code(walk) || !find_called(walk, walk->sp, &slot, &pc) ||
		!is_root(walk, pc))
		return false;
	walk->pc = pc;
	walk->slot = slot;
	walk->sp = slot + sizeof(pc);
	walk->is_exact = false;
	walk->chain->n_guessed++;
	return true;
}
