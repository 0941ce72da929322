/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of one row: the stacks that it stands in, merged frame by
 * frame. Branches below a limit are dropped while it is built.
 */
#ifndef DWELL_TREE_H
#define DWELL_TREE_H

#include "report/hist.h"

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
	bool callers_first; /* from callers down to callees */
	uint64_t limit;     /* the least period of a branch, */
	double share;       /* and its least part, up to 1, of its siblings' */
};

/* What the trees of one report have in common; both are borrowed. */
struct forest;
struct forest *forest_create(
	const struct scan *scan, const struct field_names *names);
void forest_destroy(struct forest *forest);

/*
 * A row that was sampled itself gets whole chains; a caller gets them from its
 * own frame on: from the outermost one where trees grow from callers, from the
 * innermost where they grow from callees. ROW is one of HIST, which was built
 * with wants_trees.
 */
void tree_build(struct forest *forest, const struct hist *hist,
	const struct row *row, const struct tree_request *request,
	struct tree *ret);
void tree_deinit(struct tree *tree);

#endif
