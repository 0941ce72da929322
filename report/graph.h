/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph of a row as text, in perf's shapes: a tree, or a list of
 * paths.
 */
#ifndef DWELL_GRAPH_H
#define DWELL_GRAPH_H

#include "report/result.h"

/* Nothing is printed where no trees are wanted. */
void graph_print(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out);

/*
 * The tree itself, in the options' order and above their limit; where
 * result->forest isn't NULL. To be given to tree_deinit().
 */
void graph_tree(const struct result *result, const struct hist *hist,
	const struct row *row, struct tree *ret);

#endif
