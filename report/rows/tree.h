/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of one row: the stacks that it stands in, merged frame by
 * frame. Branches below a limit are dropped while it grows. For the forest.
 */
#ifndef DWELL_REPORT_ROWS_TREE_H
#define DWELL_REPORT_ROWS_TREE_H

#include "report/rows/branches.h"
#include "report/rows/row_stacks.h"

#define TREE_NONE UINT32_MAX

struct tree_node {
	uint32_t location;
	uint32_t parent;
	uint32_t child, sibling; /* TREE_NONE: none; largest first */
	uint64_t period, samples;       /* of all stacks through here */
	uint64_t ends, samples_at_ends; /* of those that end here */
};

struct tree {
	ARRAY(struct tree_node) nodes; /* 0 is all of it, of no location */
};

struct tree_request {
	uint64_t limit;     /* the least period of a branch, */
	double share;       /* and its least part, up to 1, of its siblings' */
	enum branch_key key;
};

/* What the trees of one histogram have in common. Borrows all but its own. */
struct tree_ground {
	const struct field_names *names;
	const struct hist *hist;
	struct tree_request request;
	uint64_t limit;            /* of REQUEST, or 1 */
	struct members *members;   /* of the rows that LIMIT leaves; own,
				    * NULL if no tree has branches */
	ARRAY(uint32_t) locations; /* by what stands for them */
	uint32_t *ahead_of;        /* what stands for it, by location; own */
	unsigned ahead_bits;
};
/* RET is overwritten. */
void tree_ground_init(const struct field_names *names,
	const struct hist *hist, const struct tree_request *request,
	struct tree_ground *ret);
/* All zero is fine. */
void tree_ground_deinit(struct tree_ground *ground);

/* What one thread grows trees with, one after the other. */
struct tree_grower;
/* GROUND is borrowed; all symbols of its locations were asked for before. */
struct tree_grower *tree_grower_create(const struct tree_ground *ground);
/* NULL is fine. */
void tree_grower_destroy(struct tree_grower *grower);

/*
 * A row that was sampled itself gets whole chains; a caller gets them from its
 * own frame on: from the outermost one where trees grow from callers, as the
 * histogram was asked to, from the innermost where they grow from callees. ROW
 * is one of the histogram, which was built with wants_trees.
 */
void tree_grow(struct tree_grower *grower, const struct row *row,
	struct tree *ret);
void tree_deinit(struct tree *tree);

#endif
