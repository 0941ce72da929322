/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts samples with registers and a stack copy to samples with a complete
 * call chain. Each sample is unwound in the address space of its process at the
 * time of the sample, according to the sideband records. The part of a stack
 * that the copy does not contain is taken from the memory of the process, from
 * other stacks of the thread, or from the frame pointer chain of the kernel, in
 * this order. These stacks are counted.
 *
 * Not thread-safe: each thread has its own struct live_unwinding. At any time, only
 * one struct live_unwinding handles the samples of an outer_frames_bucket().
 */
#ifndef DWELL_RECORD_UNWIND_LIVE_UNWINDING_H
#define DWELL_RECORD_UNWIND_LIVE_UNWINDING_H

#include "common/unwind/stack_counts.h"
#include "record/event/selection.h"
#include "record/runtimes/runtimes.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/frame_pointer_trial.h"
#include "record/unwind/outer_frame_cache.h"
#include "record/unwind/rules.h"
#include "record/unwind/stack_reader.h"

struct live_unwinding;
struct bpf_unwind;

/* All members are borrowed until live_unwinding_destroy(). */
struct live_unwinding_setup {
	const struct selection
		*selection; /* events with the attributes for the kernel */
	const struct sampled_code *
		sampled; /* provides the maps, which may change between calls */
	struct rules *rules;
	struct outer_frames *outer;
	struct runtimes *runtimes;   /* may be NULL */
	struct stack_reader *reader; /* may be NULL */
	struct bpf_unwind *bpf;	     /* unwinds in the kernel; or NULL */
	const struct frame_pointer_trials
		*trials; /* may change between calls */
};
/* Returns NULL if dwell cannot unwind on this CPU architecture. */
struct live_unwinding *live_unwinding_create(
	const struct live_unwinding_setup *setup);
void live_unwinding_destroy(struct live_unwinding *unwinding);

/* Call live_unwinding_restart() after sampled_code_restart(). */
void live_unwinding_restart(struct live_unwinding *unwinding);

/* The result of unwinding a sample. */
struct live_unwinding_outcome {
	struct frame_pointer_result trial;
	struct stack_counts stacks; /* counts of this sample */
	bool is_example; /* complete stack: the outer frames are used for
				 other samples of the thread */
	bool is_cut; /* the stack copy ends too early; .frame is outermost */
	struct stack_thread thread;
	struct stack_frame frame;
};

/*
 * Unwinds SAMPLE, a complete record with the canonical ID of its event, and
 * writes the rewritten sample to OUT. Returns the size of the rewritten sample,
 * at most RECORD_SIZE_ALIGNED.
 */
size_t live_unwinding_take(struct live_unwinding *unwinding,
	const uint8_t *sample, uint8_t *out,
	struct live_unwinding_outcome *outcome_ret);

#endif
