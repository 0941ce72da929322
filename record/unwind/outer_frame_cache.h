/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outer callers of whole stacks, by thread: where a later stack of the
 * same thread ends too early, at a return address that lay at the same place
 * in one of them, its callers are taken from there. (The same place alone
 * tells nothing: most of the time others have been there since.)
 *
 * Several threads may ask and tell, each of other places. Memory is bounded: of
 * each thread the last few stacks, of those the outermost frames, and so many
 * threads.
 */
#ifndef DWELL_RECORD_UNWIND_OUTER_FRAME_CACHE_H
#define DWELL_RECORD_UNWIND_OUTER_FRAME_CACHE_H

#include "common/util/base.h"

struct tails;

/* Threads with the same place, below TAILS_PLACES, forget each other's. */
#define TAILS_PLACES 1024u /* a power of two */
uint32_t tails_place(uint32_t tid);

struct tails *tails_create(void);
void tails_destroy(struct tails *tails);
/* Address spaces have other numbers from now on. */
void tails_restart(struct tails *tails);

/* Of one thread's stack, its youngest frame first. */
struct tails_stack {
	uint32_t tid;
	uint64_t space; /* address spaces have different numbers */
	const uint64_t *addresses;
	const uint64_t *slots; /* where each return address lay */
	size_t n;
};

/*
 * How many of STACK's oldest frames must be those of another one, so that these
 * are the same calls: of a recursion more, as soon another one's frames may
 * lie there. 0: it has none but the sampled address.
 */
size_t tails_sure(const struct tails_stack *stack, bool *is_recursive_ret);

/* Remembers a whole one. */
void tails_keep(struct tails *tails, const struct tails_stack *stack);
/*
 * The callers behind the oldest frame of STACK, of the youngest whole stack
 * that has it, and those that it has called. Writes at most ROOM to RET; returns
 * how many, 0 if nothing fits.
 */
size_t tails_find(const struct tails *tails, const struct tails_stack *stack,
	uint64_t *ret, size_t room);
/*
 * Whether a whole stack had all of STACK's callers from number OWN on, which is
 * not its first or last; and what they had called lay in the same place. Of a
 * recursion it must be the same calls.
 */
bool tails_have(const struct tails *tails, const struct tails_stack *stack,
	size_t own);

/* A return address of a thread's stack, and where it lies. */
struct tails_frame {
	uint32_t tid;
	uint64_t space, slot, address;
};
/* Whether the last stack that was kept has FRAME, called by another one. */
bool tails_last_has(const struct tails *tails, const struct tails_frame *frame);

#endif
