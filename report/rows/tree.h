/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of one row: the stacks that contain the row, merged frame by
 * frame. Branches below a limit are dropped while the tree is built. forest.h
 * builds the trees of all rows.
 */
#ifndef DWELL_REPORT_ROWS_TREE_H
#define DWELL_REPORT_ROWS_TREE_H

#include "report/rows/branches.h"
#include "report/rows/row_stacks.h"

#define TREE_NONE UINT32_MAX

struct tree_node {
	uint32_t location;
	uint32_t parent;
	/* or TREE_NONE; largest sibling first */
	uint32_t child, sibling;
	uint64_t period, samples;	/* of all stacks through this node */
	uint64_t ends, samples_at_ends; /* of stacks that end at this node */
};

struct tree {
	ARRAY(struct tree_node)
	nodes; /* node 0 is the root, which has no location */
};

struct tree_request {
	uint64_t limit; /* smallest period of a branch */
	/* smallest share of a branch, 0 to 1, in the period of its siblings */
	double share;
	enum branch_key key;
};

/*
 * Data that all trees of one histogram share. Pointers are borrowed, unless
 * "owned".
 */
struct tree_common {
	const struct field_names *names;
	const struct hist *hist;
	struct tree_request request;
	uint64_t limit;		   /* .limit of .request, at least 1 */
	struct row_stacks *stacks; /* of the rows above .limit; owned; NULL if
				      no tree has branches */
	/* the location of each number in .ahead_of */
	ARRAY(uint32_t) locations;
	uint32_t *ahead_of; /* small number of each location; owned */
	unsigned ahead_bits;
};
/* Initializes RET for the trees of HIST. NAMES and HIST are borrowed. */
void tree_common_init(const struct field_names *names, const struct hist *hist,
	const struct tree_request *request, struct tree_common *ret);
/* COMMON may be all zero. */
void tree_common_deinit(struct tree_common *common);

/* The state of one thread that builds trees, one after the other. */
struct tree_grower;
/*
 * COMMON is borrowed. The symbol names of COMMON->locations must have been
 * resolved.
 */
struct tree_grower *tree_grower_create(const struct tree_common *common);
/* GROWER may be NULL. */
void tree_grower_destroy(struct tree_grower *grower);

/*
 * Builds the call tree of ROW, a row of a histogram that was built with
 * hist_request.wants_trees. A stack whose sampled frame is in ROW is used
 * whole. Another stack begins with the frame of ROW: the outermost one if trees
 * begin with callers, otherwise the innermost one.
 */
void tree_grow(
	struct tree_grower *grower, const struct row *row, struct tree *ret);
void tree_deinit(struct tree *tree);

#endif
