/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the call graph of a row as text, in perf's shapes: a tree, or a list
 * of paths.
 */
#ifndef DWELL_REPORT_VIEW_GRAPH_H
#define DWELL_REPORT_VIEW_GRAPH_H

#include "report/result/result.h"

/*
 * Period and number of samples of a branch, or of the part of a branch that is
 * not shown.
 */
struct graph_amount {
	uint64_t period, samples;
};

/*
 * Appends the call graph of ROW to OUT; nothing if the report has no call
 * graphs.
 */
void graph_print(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out);

/*
 * Builds the call tree of ROW with the order and the limit of the options in
 * RESULT. Requires result->forest. The caller frees RET with tree_deinit().
 */
void graph_tree(const struct result *result, const struct hist *hist,
	const struct row *row, struct tree *ret);

/* Returns whether ROW has a call graph above the limit of the options. */
bool graph_has_tree(const struct result *result, const struct hist *hist,
	const struct row *row);

/*
 * Returns whether all stacks of NODE continue with one child, which is then
 * printed in the column of NODE.
 */
bool graph_continues(const struct tree *tree, const struct tree_node *node);
/* Writes the name of location NUMBER, escaped. */
void graph_put_label(
	struct strbuf *out, const struct result *result, uint32_t number);
/*
 * Writes the value of AMOUNT that OPTIONS->graph selects: the percentage of
 * WHOLE, the period, or the number of samples.
 */
void graph_put_value(struct strbuf *out, const struct options *options,
	struct graph_amount amount, uint64_t whole);

/*
 * Reserves SIZE bytes of memory for the text of a graph. Returns false, and
 * prints a note, if the recording is too small for so much text.
 */
bool graph_reserve(const struct result *result, size_t size);

#endif
