/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes truncated stacks with other samples of the same thread. If another
 * sample has the same return address in the same stack slot, its outer frames
 * are used. The nearest samples before and after are compared, and must agree;
 * if there is only one, it must be near in time. The outer frames must lead to
 * the thread's start.
 *
 * Each unwinding thread fills a struct stitch of its own; after all samples,
 * stitch_finish() searches all of them.
 */
#ifndef DWELL_REPORT_UNWIND_STACK_STITCH_H
#define DWELL_REPORT_UNWIND_STACK_STITCH_H

#include "common/util/array.h"
#include "common/util/hash.h"

#define STITCH_NONE UINT32_MAX

/*
 * An unwound stack of one thread. Before an exec, or in an ended process,
 * another program may have had the same thread ID and, without address space
 * randomization, the same addresses, so stacks of different programs are not
 * combined.
 */
struct stitch_stack {
	uint32_t tid, program; /* maps_program() */
	uint64_t time;
	const uint64_t *pcs, *slots; /* the sampled frame first; the addresses
	                              * from which each pc was read */
	size_t n;
	uint64_t next; /* the address of the outermost frame's return address;
	                * 0: not known */
};

/* A frame. Successive stacks share their common frames. */
struct stitch_node {
	uint64_t slot, pc;
	uint64_t first, last; /* times of samples with the frame */
	uint32_t caller;      /* node; STITCH_NONE: outermost known frame */
	uint32_t end;         /* of a truncated stack; STITCH_NONE: complete */
	uint32_t thread;
};

/* The outermost frame of a truncated stack. */
struct stitch_end {
	uint32_t node;
	uint64_t next; /* as in the stack */
	/* The same frame of another sample, after stitch_finish(). */
	const struct stitch *in;
	uint32_t like; /* node there; STITCH_NONE: none */
};

/* Zero-initialized it is empty. */
struct stitch {
	ARRAY(struct stitch_node) nodes;
	ARRAY(struct stitch_end) ends;
	ARRAY(struct stitch_thread {
		uint32_t tid, program;
		/* Nodes of its last complete stack, the outermost first. */
		ARRAY(uint32_t) path;
	}) threads;
	struct hash_index by_thread;
};

void stitch_deinit(struct stitch *stitch);

/* Adds a stack that leads to its thread's start. */
void stitch_add_complete(
	struct stitch *stitch, const struct stitch_stack *stack);
/* Adds a truncated stack, and returns the number of its end. */
uint32_t stitch_add_truncated(
	struct stitch *stitch, const struct stitch_stack *stack);

/* Finds the continuation of the ends in all N of PARTS. */
void stitch_finish(struct stitch *const *parts, size_t n);

/* Iterator over the callers of an end. */
struct stitch_walk {
	const struct stitch *in;
	uint32_t node; /* STITCH_NONE: no more callers */
};
/* Returns the callers of END; empty unless they lead to the thread's start. */
struct stitch_walk stitch_callers(const struct stitch *stitch, uint32_t end);
/* Sets *PC_RET to the next return address. Returns false at the end. */
bool stitch_next(struct stitch_walk *walk, uint64_t *pc_ret);

#endif
