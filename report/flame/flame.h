/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph: stacks as one tree of functions, outermost callers first, and
 * the samples by thread and time at each node. The number of nodes is limited:
 * nodes that are too small to be drawn are merged.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_H
#define DWELL_REPORT_FLAME_FLAME_H

#include "common/util/array.h"
#include "report/survey/thread_ids.h"

/*
 * Limits of nodes, cells and totals, so that an HTML page draws them fast.
 * FLAME_SAMPLES_MAX is the limit of cells if each sample is a cell.
 */
#define FLAME_NODES_MAX 500000u
#define FLAME_CELLS_MAX 500000u
#define FLAME_SAMPLES_MAX 1000000u
#define FLAME_TOTALS_MAX 200000u

/* The function of a frame. */
struct flame_function {
	char *name;	 /* printed name; owned */
	const char *dso; /* borrowed; NULL: none */
	/* '.', 'k', ... as in perf; 'c': not code; FLAME_STATE: thread state */
	char level;
	/* number of the location whose name it has, + 1; 0: none or several */
	uint32_t location;
	uint64_t start;	 /* of the location: distinguishes equal names */
	bool is_unknown; /* the name is an address */
	bool is_guessed; /* the name is made up, see struct location */
	uint64_t build;	 /* of .dso, if .is_guessed: resolver_build() */
	/*
	 * Inlined; a function with the same name and code of its own is another
	 * element.
	 */
	bool is_inlined;
	bool is_folded; /* flame_merge() leaves out its frames */
	char *module;	/* module_name.h; owned; NULL: none */
	bool is_system; /* part of the standard library of a language */
	bool is_in_system_library; /* module_is_system_library() */
};

/*
 * The level of a node that is an off-CPU state. The samples of such a node
 * count for its parent, because the rows of a report are functions with code.
 */
#define FLAME_STATE 's'

struct flame_node {
	uint32_t parent; /* lower than the node's number; root: 0 */
	uint32_t function;
	bool is_inlined; /* .is_inlined of the function */
	/*
	 * Of an off-CPU state: number of the function that the thread waits in
	 * (waits_in.h), + 1; 0: none, or not computed.
	 */
	uint32_t waits_in;
};

/* A thread under one of its names (COMM). */
struct flame_task {
	struct thread_ids ids;
	char *comm;    /* owned */
	char *process; /* name of the process; owned */
};

/*
 * The samples of one thread in one slice of time directly at one node. If each
 * sample is a cell, a wait is a cell that begins in .slice. Otherwise waits are
 * divided at the ends of slices, and only the first part has a sample.
 */
struct flame_cell {
	uint32_t event, slice, task, node;
	uint64_t samples, period;
	/*
	 * If each sample is a cell: the length of the time, in ns, in which the
	 * .period of waits that were added up is; otherwise 0.
	 */
	uint64_t span;
};

/* The period of a function and its callees; recursive calls count once. */
struct flame_total {
	uint32_t event, function;
	uint64_t period;
};

struct flame {
	ARRAY(struct flame_function) functions;
	ARRAY(struct flame_node) nodes; /* [0] is the root */
	ARRAY(struct flame_task) tasks;
	ARRAY(struct flame_cell) cells;
	uint32_t n_small; /* number of nodes that were merged into "[others]" of
			   * their callers */
	/*
	 * Totals before small nodes were merged; empty if no node was merged.
	 */
	ARRAY(struct flame_total) totals;
};

/* The number of the root's child "[others]" before flame_arrange(). */
#define FLAME_REST 1u

/*
 * Reduces FLAME to MOST_NODES nodes and MOST_CELLS cells. Small nodes are
 * merged into a node "[others]" of their caller, below which each function
 * keeps its own samples. If there are too many cells, pairs of adjacent time
 * slices are joined, and SLICE_LENGTH is doubled. Cells are then sorted and
 * distinct.
 */
void flame_shrink(struct flame *flame, uint32_t most_nodes, uint32_t most_cells,
	uint64_t *slice_length);
/*
 * Sorts nodes depth first, siblings by name, and tasks by PID, TID and names,
 * so that the tree does not depend on the order of the stacks.
 */
void flame_arrange(struct flame *flame);
/* Compares two struct flame_cell by event, slice, task and node. */
int flame_compare_cells(const void *a, const void *b);
void flame_deinit(struct flame *flame);

/*
 * Merges the trees of several recordings for comparisons. Functions are
 * identified by name and DSO, because addresses differ between builds. A function
 * is inlined if it is inlined in all recordings. All functions without a symbol in
 * a DSO become one function. Times and thread IDs
 * are not kept: all cells belong to one task without a name. The other tasks
 * are the different names of threads and processes, for flame_colours().
 */

struct flame_part {
	const struct flame *flame; /* arranged and not reduced */
	uint32_t first_event; /* number that is added to the event of each cell
			       * of .flame */
};

/*
 * Merges N PARTS into RET, which is reduced and arranged. Names of DSOs are
 * borrowed from PARTS.
 */
void flame_merge(const struct flame_part *parts, size_t n, struct flame *ret);

#endif
