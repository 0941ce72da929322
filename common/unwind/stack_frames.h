/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames by which stacks of one thread are compared. A stack copy often ends before
 * the start of its thread. Both programs then take the missing callers from another
 * stack of the thread that has the same frame: the same return address in the same
 * slot, the place on the stack, in the same address space. They search differently,
 * because of what they know:
 *
 * - The recorder (record/unwind/outer_frame_cache.h) has only the stacks so far and a
 *   fixed amount of memory, and writes a sample soon. It keeps the last stacks of each
 *   thread and takes the newest one that matches. Because it cannot look at later
 *   stacks, a recursion, whose frames soon use the same slots again, must match in
 *   several frames.
 * - The report (report/unwind/stitch.h) reads the samples of a thread in any
 *   order, and in several threads, but has all of them before it needs an answer. It
 *   keeps each distinct frame with its times, and compares the matching samples before
 *   and after the truncated one, which must have the same callers.
 */
#ifndef DWELL_COMMON_UNWIND_STACK_FRAMES_H
#define DWELL_COMMON_UNWIND_STACK_FRAMES_H

#include "common/util/base.h"

struct stack_thread {
	uint32_t tid;
	uint64_t space; /* number of its address space or program */
};

/* A return address, and its slot. */
struct stack_frame {
	uint64_t slot, address;
};

/* A stack of a thread, innermost frame first; all is borrowed. */
struct stack_frames {
	struct stack_thread thread;
	const uint64_t *addresses;
	const uint64_t
		*slots; /* of each address but the first, the sampled one */
	size_t n;
};

static inline struct stack_frame stack_frames_at(
	const struct stack_frames *stack, size_t i)
{
	return (struct stack_frame){ stack->slots[i], stack->addresses[i] };
}

static inline bool stack_frames_are_same(
	struct stack_frame one, struct stack_frame other)
{
	return one.slot == other.slot && one.address == other.address;
}

static inline bool stack_frames_are_of_same_thread(
	struct stack_thread one, struct stack_thread other)
{
	return one.tid == other.tid && one.space == other.space;
}

#endif
