/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as one tree of functions, outermost callers first, and what was
 * counted where and when: for exports that draw flame graphs. It is bounded:
 * what is too small for any picture isn't told apart.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_H
#define DWELL_REPORT_FLAME_FLAME_H

#include "common/util/array.h"

/* A screen has no room for more, and a page no time. */
#define FLAME_NODES_MAX 500000u
#define FLAME_CELLS_MAX 500000u
#define FLAME_TOTALS_MAX 200000u

/* What a frame is called. */
struct flame_function {
	char *name;	 /* as it is shown; owned */
	const char *dso; /* borrowed; NULL: none */
	char level;	 /* '.', 'k', ... of code; 'c': it is none, but a
			  * command, or the rest; or FLAME_STATE */
	uint32_t location; /* of its result, that it is shown as, + 1; 0: of
			    * several, or none */
	bool is_unknown; /* its name is an address */
	bool is_inlined; /* another one may have that name, and its own code */
};

/* What a thread did but run: what is counted in it is of the node above, as a
 * report's rows are of functions that have code of their own. */
#define FLAME_STATE 's'

struct flame_node {
	uint32_t parent; /* stands before it; the root's is itself */
	uint32_t function;
	bool is_inlined; /* then that is so, too */
};

/* A thread, as long as it had one name. */
struct flame_task {
	uint32_t pid, tid;
	char *comm; /* owned */
};

/* What was counted in one slice of time, of one thread, right at one node. */
struct flame_cell {
	uint32_t event, slice, task, node;
	uint64_t samples, period;
};

/* Of a function with all below it, a recursion once. */
struct flame_total {
	uint32_t event, function;
	uint64_t period;
};

struct flame {
	ARRAY(struct flame_function) functions;
	ARRAY(struct flame_node) nodes; /* [0] is the root */
	ARRAY(struct flame_task) tasks;
	ARRAY(struct flame_cell) cells;
	uint32_t n_small; /* nodes that are the rest of their callers now */
	/* As it was before nodes were dropped; none: it still is so. */
	ARRAY(struct flame_total) totals;
};

/* Before flame_arrange(): the node of the rest. */
#define FLAME_REST 1u

/*
 * Adds up what is too much, as far as MOST_NODES and MOST_CELLS allow more.
 * Small nodes become the rest of their callers, under which each function keeps
 * what was counted right in it, in whatever part; and slices become longer, two
 * by two. Cells are sorted then, and each is there once.
 */
void flame_shrink(struct flame *flame, uint32_t most_nodes, uint32_t most_cells,
	uint64_t *slice_length);
/*
 * Nodes in the order of a walk that goes down first, siblings by their names,
 * and tasks by their numbers: so a tree is the same whatever came first.
 */
void flame_arrange(struct flame *flame);
/* By event, slice, task and node. */
int flame_compare_cells(const void *a, const void *b);
void flame_deinit(struct flame *flame);

#endif
