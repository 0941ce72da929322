/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that are longer than their copy, made whole by other samples of the
 * same thread: where a function was called from another one at an address of
 * the stack, and the same is seen there in another sample, its callers are the
 * same ones. The nearest samples in time are asked, the one before and the one
 * after, and must agree; if there is one only, it must be near. All must lead
 * to the thread's beginning.
 *
 * Each of the threads that unwind fills one of its own; when all samples were
 * seen, joins_finish() looks into all of them.
 */
#ifndef DWELL_REPORT_UNWIND_STACK_STITCH_H
#define DWELL_REPORT_UNWIND_STACK_STITCH_H

#include "common/util/array.h"
#include "common/util/hash.h"

#define JOINS_NONE UINT32_MAX

/*
 * A stack of one thread, as unwound. Another program may have had the same number
 * before an exec, or when its process had ended; without randomisation it had its
 * stack and its code at the same places.
 */
struct joins_stack {
	uint32_t tid, program; /* maps_program() */
	uint64_t time;
	const uint64_t *pcs, *slots; /* the sampled frame first; where in
				      * memory each pc was read from */
	size_t n;
	uint64_t next; /* where the oldest one's return address would have
			* been read from; 0: not known */
};

/* A frame. Stacks that follow each other share those that they have in common. */
struct joins_node {
	uint64_t slot, pc;
	uint64_t first, last; /* times it was seen */
	uint32_t caller;      /* node; JOINS_NONE: it is the oldest one */
	uint32_t end;         /* that it leads to; JOINS_NONE: a beginning */
	uint32_t thread;
};

/* The oldest frame of a stack that is longer than its copy. */
struct joins_end {
	uint32_t node;
	uint64_t next; /* as the stack told */
	/* The same frame of another sample, once it is found. */
	const struct joins *in;
	uint32_t like; /* node there; JOINS_NONE: there is none */
};

/* A zeroed one is empty. */
struct joins {
	ARRAY(struct joins_node) nodes;
	ARRAY(struct joins_end) ends;
	ARRAY(struct joins_thread {
		uint32_t tid, program;
		/* Nodes of its last whole stack, the oldest first. */
		ARRAY(uint32_t) path;
	}) threads;
	struct hash_index by_thread;
};

void joins_deinit(struct joins *joins);

/* A stack that leads to its thread's beginning. */
void joins_add_whole(struct joins *joins, const struct joins_stack *stack);
/* One that is longer than its copy: the number of its end. */
uint32_t joins_add_cut(struct joins *joins, const struct joins_stack *stack);

/* Finds what leads on from the ends in all N of PARTS. */
void joins_finish(struct joins *const *parts, size_t n);

/* The callers behind an end, one after the other. */
struct joins_walk {
	const struct joins *in;
	uint32_t node; /* JOINS_NONE: that was all */
};
/* END is of JOINS. Empty unless they lead to a beginning. */
struct joins_walk joins_callers(const struct joins *joins, uint32_t end);
/* The next caller's return address; false: no more. */
bool joins_next(struct joins_walk *walk, uint64_t *pc_ret);

#endif
