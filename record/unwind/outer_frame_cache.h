/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches the outer frames of complete stacks, by thread. If a later stack of
 * the same thread ends too early, and its outermost return address is in the
 * same stack slot as in a cached stack, the frames of the cached stack are used
 * from there on. (The same slot alone proves nothing: usually other calls have
 * used it since.)
 *
 * Several threads may call these functions at the same time, for different
 * buckets. Memory is bounded: the last few stacks of a limited number of
 * threads, and the outermost frames of these.
 */
#ifndef DWELL_RECORD_UNWIND_OUTER_FRAME_CACHE_H
#define DWELL_RECORD_UNWIND_OUTER_FRAME_CACHE_H

#include "common/util/base.h"

struct outer_frames;

/*
 * Threads with the same bucket, below OUTER_FRAMES_BUCKETS, replace each other.
 */
#define OUTER_FRAMES_BUCKETS 1024u /* a power of two */
uint32_t outer_frames_bucket(uint32_t tid);

struct outer_frames *outer_frames_create(void);
void outer_frames_destroy(struct outer_frames *outer);
/* Call it when address spaces are renumbered. */
void outer_frames_restart(struct outer_frames *outer);

/* The stack of a thread, innermost frame first. */
struct outer_frames_stack {
	uint32_t tid;
	uint64_t space; /* number of the address space */
	const uint64_t *addresses;
	const uint64_t *slots; /* stack slot of each return address */
	size_t n;
};

/*
 * Returns how many of the outermost frames of STACK must match frames of
 * another stack to prove that both belong to the same calls. A recursion needs
 * more, because frames of other calls soon use the same slots. 0: STACK has
 * only the sampled address.
 */
size_t outer_frames_min_match(
	const struct outer_frames_stack *stack, bool *is_recursive_ret);

/* Adds a complete stack. */
void outer_frames_add(
	struct outer_frames *outer, const struct outer_frames_stack *stack);
/*
 * Copies the callers of the outermost frame of STACK, from the newest complete
 * stack that contains this frame and the frames that it called, to RET, which
 * has ROOM entries. Returns their number; 0 if there is no such stack or they
 * do not fit.
 */
size_t outer_frames_find(const struct outer_frames *outer,
	const struct outer_frames_stack *stack, uint64_t *ret, size_t room);
/*
 * Returns true if a complete stack had all callers of STACK from number OWN on,
 * which is neither the first nor the last, and the frame that they called was
 * in the same slot. In a recursion it must be the same calls.
 */
bool outer_frames_confirm(const struct outer_frames *outer,
	const struct outer_frames_stack *stack, size_t own);

/* A return address of a thread, and its stack slot. */
struct stack_frame {
	uint32_t tid;
	uint64_t space, slot, address;
};
/*
 * Returns true if the stack that was added last contains FRAME and a caller of
 * it.
 */
bool outer_frames_last_has(
	const struct outer_frames *outer, const struct stack_frame *frame);

#endif
