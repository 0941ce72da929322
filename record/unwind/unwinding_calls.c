/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Return addresses behind calls that end their function. */
#include "config.h"

#include "record/unwind/unwinding.h"

#include "common/util/hash.h"
#include "record/unwind/unwinding_private.h"

/*
 * A call must stand there, too: what a signal interrupted in another sample's part
 * of the chain may be the first instruction of a function.
 */
static bool read_last_call(struct work *work, uint64_t pc)
{
	struct unwind_code code;

	return unwinding_find_code(work, pc - 1, &code) && code.cfi &&
		cfi_ends_at(code.cfi, pc - code.bias) &&
		rules_is_called(work->unwinding->rules, &work->place, pc);
}

static bool is_last_call(struct work *work, uint64_t pc)
{
	uint64_t space = work->space.id;
	struct last_call *known = &work->unwinding->last_calls
		[hash_words(pc, space) % LAST_CALLS];

	if (known->space != space || known->pc != pc)
		*known = (struct last_call){ space, pc,
			read_last_call(work, pc) };
	return known->is_last;
}

void unwinding_move_last_calls(struct work *work)
{
	uint64_t *pcs = work->chain.pcs;
	uint32_t next = 0;
	size_t i;

	for (i = 1; i < work->n; i++)
		if (!unwind_is_exact(&work->chain, i, &next) &&
			is_last_call(work, pcs[i]))
			pcs[i]--;
}
