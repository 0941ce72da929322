/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes truncated stacks with other samples of the same thread. If another
 * sample has the same return address in the same stack slot, the outer frames
 * of that sample are used. The nearest matching samples before and after are
 * compared, and must have the same outer frames; a single matching sample must
 * be near in time. The outer frames must lead to the thread's start. The header
 * common/unwind/stack_frames.h says how the recorder does this.
 *
 * Before an exec, or in an ended process, another program may have had the same
 * thread ID and, without address space randomization, the same addresses, so the
 * space of a stack is the number of its program (maps_program()).
 *
 * Each unwinding thread fills a struct stitch of its own; after all samples,
 * stitch_finish() searches the structs of all threads.
 */
#ifndef DWELL_REPORT_UNWIND_STITCH_H
#define DWELL_REPORT_UNWIND_STITCH_H

#include "common/unwind/stack_frames.h"
#include "common/util/array.h"
#include "common/util/hash.h"

#define STITCH_NONE UINT32_MAX

/*
 * A frame of one or more stacks of a thread: successive complete stacks share
 * the nodes of their common outer frames.
 */
struct stitch_node {
	struct stack_frame frame;
	uint64_t first, last; /* times of the first and last sample with the
	                       * frame */
	uint32_t caller;      /* index of the caller's node; STITCH_NONE:
	                       * outermost known frame */
	uint32_t end;	      /* index in .ends, if the stack is truncated;
	                       * STITCH_NONE: complete stack */
	uint32_t thread;
};

/* The outermost frame of a truncated stack. */
struct stitch_end {
	uint32_t node;
	/*
	 * The struct stitch with the same frame of another sample; set by
	 * stitch_finish().
	 */
	const struct stitch *in;
	uint32_t like; /* index of that frame in .in->nodes; STITCH_NONE:
	                * none */
};

/* A zero-initialized struct is empty. */
struct stitch {
	ARRAY(struct stitch_node) nodes;
	ARRAY(struct stitch_end) ends;
	ARRAY(struct stitch_thread {
		struct stack_thread thread;
		/*
		 * Nodes of the thread's last complete stack, the outermost
		 * frame first.
		 */
		ARRAY(uint32_t) path;
	})
	threads;
	struct hash_index by_thread;
};

void stitch_deinit(struct stitch *stitch);

/* Adds a complete stack, one whose frames lead to the thread's start. */
void stitch_add_complete(
	struct stitch *stitch, const struct stack_frames *stack, uint64_t time);
/* Adds a truncated stack. Returns the index of its element in STITCH->ends. */
uint32_t stitch_add_truncated(
	struct stitch *stitch, const struct stack_frames *stack, uint64_t time);

/*
 * Finds the missing callers of the truncated stacks in the N PARTS, the structs
 * of all unwinding threads.
 */
void stitch_finish(struct stitch *const *parts, size_t n);

/* Iterator over the missing callers of a truncated stack. */
struct stitch_walk {
	const struct stitch *in;
	uint32_t node; /* node of the next caller; STITCH_NONE: no more
	                * callers */
};
/*
 * Returns an iterator over the missing callers of the truncated stack END, an
 * index in STITCH->ends. The iterator is empty unless the callers lead to the
 * thread's start.
 */
struct stitch_walk stitch_callers(const struct stitch *stitch, uint32_t end);
/* Sets *PC_RET to the next return address. Returns false at the end. */
bool stitch_next(struct stitch_walk *walk, uint64_t *pc_ret);

#endif
