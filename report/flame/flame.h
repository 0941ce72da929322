/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph: stacks as one tree of functions, outermost callers first, and
 * the samples by thread and time at each node. Its size is limited: nodes that
 * are too small to be drawn are merged.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_H
#define DWELL_REPORT_FLAME_FLAME_H

#include "common/util/array.h"

/* Limits for drawing, and for the speed of a page. */
#define FLAME_NODES_MAX 500000u
#define FLAME_CELLS_MAX 500000u
#define FLAME_TOTALS_MAX 200000u

/* The function of a frame. */
struct flame_function {
	char *name;	 /* printed name; owned */
	const char *dso; /* borrowed; NULL: none */
	char level; /* '.', 'k', ... of code; 'c' for a command or the rest; or
		       FLAME_STATE */
	uint32_t location; /* location of its printed name + 1; 0: several or
			      none */
	bool is_unknown;   /* the name is an address */
	bool is_inlined; /* inlined; another function can have the same name and
			    code of its own */
};

/*
 * The level of an off-CPU state. Its samples count for the node above, as in
 * the rows of a report, which are functions with code of their own.
 */
#define FLAME_STATE 's'

struct flame_node {
	uint32_t parent; /* a lower number; the root is its own parent */
	uint32_t function;
	bool is_inlined; /* .is_inlined of the function */
};

/* A thread with one name. */
struct flame_task {
	uint32_t pid, tid;
	char *comm; /* owned */
};

/* The samples of one thread in one slice of time directly at one node. */
struct flame_cell {
	uint32_t event, slice, task, node;
	uint64_t samples, period;
};

/* The period of a function with all callees; recursion counts once. */
struct flame_total {
	uint32_t event, function;
	uint64_t period;
};

struct flame {
	ARRAY(struct flame_function) functions;
	ARRAY(struct flame_node) nodes; /* [0] is the root */
	ARRAY(struct flame_task) tasks;
	ARRAY(struct flame_cell) cells;
	uint32_t n_small; /* number of nodes that were merged into the rest of
			     their callers */
	/* The totals before nodes were merged; empty if none was. */
	ARRAY(struct flame_total) totals;
};

/* The number of the node for the rest before flame_arrange(). */
#define FLAME_REST 1u

/*
 * Reduces FLAME to MOST_NODES and MOST_CELLS. Small nodes become the rest of
 * their callers, below which each function keeps its own samples. Slices become
 * longer, two by two; SLICE_LENGTH is updated. Cells are then sorted and
 * distinct.
 */
void flame_shrink(struct flame *flame, uint32_t most_nodes, uint32_t most_cells,
	uint64_t *slice_length);
/*
 * Sorts nodes depth first, siblings by name, and tasks by number, so that the
 * tree does not depend on the order of the input.
 */
void flame_arrange(struct flame *flame);
/* Compares by event, slice, task and node. */
int flame_compare_cells(const void *a, const void *b);
void flame_deinit(struct flame *flame);

/*
 * Merges the trees of several recordings for comparisons. Functions are
 * identified by name and DSO, because addresses differ between builds. All
 * unknown functions of a DSO become one. Times and threads are not kept.
 */

struct flame_part {
	const struct flame *flame; /* arranged and not reduced */
	uint32_t first_event; /* number that is added to the events of its cells
			       */
};

/*
 * Merges N PARTS into RET, which is reduced and arranged. Names of DSOs are
 * borrowed from PARTS.
 */
void flame_merge(const struct flame_part *parts, size_t n, struct flame *ret);

#endif
