/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether frame pointers are enough, as samples come by. */
#include "config.h"

#include "record/unwind/unwinding.h"
#include "record/unwind/unwinding_private.h"

/*
 * Whether the kernel's chain has the same callers. What calls main() has no
 * frame pointers anywhere; and of a few callers nothing can be told.
 */
#define BEFORE_MAIN 3u
static bool compare_frames(const struct work *work, bool *is_equal_ret)
{
	const struct plain *plain = work->plain;
	size_t n = work->n - MIN(work->n, (size_t)BEFORE_MAIN), i;

	*is_equal_ret = plain->n_user >= n;
	for (i = 0; i < n && *is_equal_ret; i++)
		*is_equal_ret = work->chain.pcs[i] ==
			sample_chain_entry(&plain->sample, plain->user + i);
	return n > 1;
}

/* True: frame pointers are enough. */
bool unwinding_choose(struct work *work)
{
	struct unwinding *unwinding = work->unwinding;

	work->has_file = work->event->is_auto &&
		rules_file(unwinding->rules, &work->place, work->registers.pc,
			&work->file, &work->path);
	if (!work->has_file ||
		!choices_has_frames(unwinding->choices, work->file))
		return false;
	unwinding_use_frames(work);
	work->told->stacks.all--;
	work->told->stacks.chosen++;
	return true;
}

void unwinding_learn(struct work *work)
{
	struct choices_seen *seen = &work->told->seen;

	if (!work->has_file || work->chain.end != UNWIND_ROOT ||
		!compare_frames(work, &seen->is_equal))
		return;
	seen->file = work->file;
	seen->path = work->path;
}
