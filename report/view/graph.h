/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph of a row as text, in perf's shapes: a tree, or a list of
 * paths.
 */
#ifndef DWELL_REPORT_VIEW_GRAPH_H
#define DWELL_REPORT_VIEW_GRAPH_H

#include "report/result/result.h"

/* Periods and samples of a branch, or of what is left of one. */
struct graph_amount {
	uint64_t period, samples;
};

/* Nothing is printed where no trees are wanted. */
void graph_print(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out);

/*
 * The tree itself, in the options' order and above their limit; where
 * result->forest isn't NULL. To be given to tree_deinit().
 */
void graph_tree(const struct result *result, const struct hist *hist,
	const struct row *row, struct tree *ret);

/* Whether ROW is above that limit. */
bool graph_has_tree(const struct result *result, const struct hist *hist,
	const struct row *row);

/* A node that all its stacks leave by one way goes on in the same column. */
bool graph_goes_on(const struct tree *tree, const struct tree_node *node);
/* The name of a branch at location NUMBER, escaped. */
void graph_put_label(
	struct strbuf *out, const struct result *result, uint32_t number);
/* Its share of WHOLE, its period or its count: what OPTIONS ask for. */
void graph_put_value(struct strbuf *out, const struct graph_options *options,
	struct graph_amount amount, uint64_t whole);

#endif
