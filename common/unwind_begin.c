/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where stacks begin, though no rule says so. */
#include "config.h"

#include "common/cfi_program.h"
#include "common/unwind.h"
#include "common/unwind_private.h"

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
	return rule != CFI_NONE && rule != CFI_ROOT;
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
