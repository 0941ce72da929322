/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From samples with registers and a copy of the stack to samples with a whole
 * call chain: each is unwound in the address space that its process had then,
 * as far as sideband has told. What the copy doesn't hold is taken from what
 * was read of the living process, from other stacks of the thread, or from the
 * kernel's chain by frame pointers, in this order; and counted.
 *
 * For one thread. Each of several has its own; at any time the samples of a
 * tails_place() are one's alone.
 */
#ifndef DWELL_RECORD_UNWIND_UNWINDING_H
#define DWELL_RECORD_UNWIND_UNWINDING_H

#include "record/event/selected.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/frame_pointer_trial.h"
#include "record/unwind/outer_frame_cache.h"
#include "record/unwind/rules.h"
#include "record/unwind/stack_reader.h"
#include "record/unwind/stacks.h"

struct unwinding;

/* All are borrowed until unwinding_destroy(). */
struct unwinding_setup {
	const struct selection *selection; /* as the kernel has it */
	const struct hits *hits; /* whose maps are asked, between changes */
	struct rules *rules;
	struct tails *tails;
	struct depths *depths; /* may be NULL */
	const struct choices *choices; /* asked, between changes */
};
/* NULL if dwell can't unwind on this machine. */
struct unwinding *unwinding_create(const struct unwinding_setup *setup);
void unwinding_destroy(struct unwinding *unwinding);

/* The hits begin anew (hits_restart()). */
void unwinding_restart(struct unwinding *unwinding);

/* What became of a sample. */
struct unwinding_told {
	struct choices_seen seen;
	struct stacks stacks; /* what it adds to the account */
	bool is_example; /* whole: the thread's others may be joined to it */
	bool is_cut; /* it ends with its copy, at FRAME */
	struct tails_frame frame;
};

/*
 * Writes SAMPLE, a whole record with its canonical id, as it goes to the file;
 * returns its size, RECORD_SIZE_ALIGNED at most.
 */
size_t unwinding_take(struct unwinding *unwinding, const uint8_t *sample,
	uint8_t *out, struct unwinding_told *told_ret);

#endif
