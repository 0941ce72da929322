/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches the outer frames of complete stacks, by thread. If a later stack of
 * the same thread ends too early, and its outermost frame is also in a cached
 * stack, the callers are taken from the cached stack. (An equal slot alone
 * proves nothing: other calls usually used the slot meanwhile.) The header
 * common/unwind/stack_frames.h says how the report does this.
 *
 * Several threads may call outer_frames_*() at the same time, for different
 * buckets. Memory is bounded: the cache contains the outermost frames of the
 * last few stacks of a limited number of threads.
 */
#ifndef DWELL_RECORD_UNWIND_OUTER_FRAME_CACHE_H
#define DWELL_RECORD_UNWIND_OUTER_FRAME_CACHE_H

#include "common/unwind/stack_frames.h"

struct outer_frames;

/*
 * Returns the bucket of thread TID, below OUTER_FRAMES_BUCKETS. The cache
 * contains only one thread of each bucket.
 */
#define OUTER_FRAMES_BUCKETS 1024u /* a power of two */
uint32_t outer_frames_bucket(uint32_t tid);

struct outer_frames *outer_frames_create(void);
void outer_frames_destroy(struct outer_frames *outer);
/* Empties the cache. Call this function when address spaces are renumbered. */
void outer_frames_restart(struct outer_frames *outer);

/*
 * Returns how many of the outermost frames of STACK must match frames of
 * another stack to prove that both stacks belong to the same calls. A recursion
 * needs more frames, because frames of other calls soon use the same slots.
 * Returns 0 if STACK has only the sampled address.
 */
size_t outer_frames_min_match(
	const struct stack_frames *stack, bool *is_recursive_ret);

/* Adds STACK, a complete stack, to the cache. */
void outer_frames_add(
	struct outer_frames *outer, const struct stack_frames *stack);
/*
 * Copies the callers of the outermost frame of STACK, from the newest complete
 * stack that contains this frame and enough frames that it called, to RET,
 * which has room for ROOM addresses. Returns the number of callers, or 0 if
 * there is no such stack or the callers do not fit.
 */
size_t outer_frames_find(const struct outer_frames *outer,
	const struct stack_frames *stack, uint64_t *ret, size_t room);
/*
 * Returns true if a cached stack has the same frames as STACK from frame OWN
 * on, and has frame OWN - 1 in the same slot. OWN must be neither 0 nor
 * STACK->n. In a recursion, the cached stack must also match the frames before
 * OWN.
 */
bool outer_frames_confirm(const struct outer_frames *outer,
	const struct stack_frames *stack, size_t own);

/*
 * Returns true if the stack of THREAD that was added last contains FRAME and a
 * caller of FRAME.
 */
bool outer_frames_last_has(const struct outer_frames *outer,
	struct stack_thread thread, struct stack_frame frame);

#endif
