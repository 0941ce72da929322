/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the call graph of a row as text, in perf's shapes: a tree, or a list
 * of paths.
 */
#ifndef DWELL_REPORT_VIEW_GRAPH_H
#define DWELL_REPORT_VIEW_GRAPH_H

#include "report/result/result.h"

/* Periods and samples of a branch, or of the rest of a branch. */
struct graph_amount {
	uint64_t period, samples;
};

/* Prints nothing if the report has no call graphs. */
void graph_print(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out);

/*
 * Builds the tree in the order and above the limit of the options. Requires
 * result->forest. The caller frees RET with tree_deinit().
 */
void graph_tree(const struct result *result, const struct hist *hist,
	const struct row *row, struct tree *ret);

/* Returns whether ROW has a call graph above the limit of the options. */
bool graph_has_tree(const struct result *result, const struct hist *hist,
	const struct row *row);

/*
 * Returns whether all stacks of NODE continue with the same child. Such a child
 * is printed in the same column.
 */
bool graph_continues(const struct tree *tree, const struct tree_node *node);
/* Writes the name of location NUMBER, escaped. */
void graph_put_label(
	struct strbuf *out, const struct result *result, uint32_t number);
/*
 * Writes AMOUNT as OPTIONS demand: its share of WHOLE, its period or its
 * samples.
 */
void graph_put_value(struct strbuf *out, const struct graph_options *options,
	struct graph_amount amount, uint64_t whole);

/*
 * Reserves SIZE bytes of memory for the text of a graph. Returns false, and
 * prints a note, if the recording is too small for so much text.
 */
bool graph_reserve(const struct result *result, size_t size);

#endif
