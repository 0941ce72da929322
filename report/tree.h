/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of one row: the stacks that its cursors point into, merged
 * frame by frame. Branches below a limit are dropped while it is built.
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

/* The row's cursors are reordered. */
void tree_build(const struct scan *scan, struct row *row,
	const struct tree_request *request, const struct field_names *names,
	struct tree *ret);
void tree_deinit(struct tree *tree);

#endif
