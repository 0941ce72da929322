/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/graph.h"

#include <inttypes.h>

#include "common/util/budget.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/rows/forest.h"
#include "report/view/stdio_cell.h"

#define MARGIN 12      /* columns left of a call tree */
#define LEVEL_WIDTH 11 /* columns of a level: "|--12.34%--" */

struct graph {
	const struct result *result;
	const struct option_graph *options;
	const struct tree *tree;
	uint64_t total; /* period of the event */
	struct strbuf *out;
	struct strbuf indent; /* text at the start of each further line */
};

/* Returns the smallest period of a branch that is shown. */
static uint64_t least_branch_period(
	const struct option_graph *options, const struct hist *hist)
{
	double least = options->limit * (double)hist->period / 100;

	return least < (double)UINT64_MAX ? (uint64_t)least : UINT64_MAX;
}

static const struct tree_node *node_at(const struct graph *graph, uint32_t i)
{
	return &graph->tree->nodes.at[i];
}

void graph_put_label(
	struct strbuf *out, const struct result *result, uint32_t number)
{
	const struct location *at = resolver_location(result->resolver, number);

	if (!at->symbol && !at->is_nowhere) {
		strbuf_printf(out, "%#" PRIx64, at->start);
		return;
	}
	if (!at->symbol || result->options->graph.key == BRANCH_FUNCTION) {
		escape_text(
			out, resolver_symbol_name(result->resolver, number));
		return;
	}
	escape_text(out, resolver_function_name(result->resolver, number));
	strbuf_putc(out, ' ');
	_cleanup_strbuf_ struct strbuf line = { 0 };

	resolver_put_line(
		result->resolver, number, RESOLVE_LINE_BY_OFFSET, &line);
	escape_text(out, line.at);
	if (at->is_inlined)
		strbuf_puts(out, " (inlined)");
}

void graph_put_value(struct strbuf *out, const struct options *options,
	struct graph_amount amount, uint64_t whole)
{
	switch (options->graph.value) {
	case OPTION_GRAPH_PERCENT:
		strbuf_printf(out, "%.2f%%",
			whole ? 100.0 * (double)amount.period / (double)whole
			      : 0);
		break;
	case OPTION_GRAPH_PERIOD:
		stdio_period_text(options, amount.period, out);
		break;
	case OPTION_GRAPH_COUNT:
		strbuf_printf(out, "%" PRIu64, amount.samples);
		break;
	}
}

/* --- trees ---------------------------------------------------------------- */

bool graph_continues(const struct tree *tree, const struct tree_node *node)
{
	return node->child != TREE_NONE &&
		tree->nodes.at[node->child].period == node->period;
}

static void put_indent(struct graph *graph, size_t length)
{
	strbuf_put(graph->out, graph->indent.at, length);
}

static void put_node_label(struct graph *graph, const struct tree_node *node)
{
	graph_put_label(graph->out, graph->result, node->location);
	strbuf_putc(graph->out, '\n');
}

static void put_branch(struct graph *graph, size_t indent, bool is_last,
	struct graph_amount amount, uint64_t whole)
{
	put_indent(graph, indent);
	strbuf_puts(graph->out, is_last ? " --" : "|--");
	graph_put_value(graph->out, graph->result->options, amount, whole);
	strbuf_puts(graph->out, "--");
}

/*
 * Prints the children of PARENT. Shares are relative to WHOLE: the period of
 * the event, or in a fractal tree the period of the branch PARENT.
 */
static void put_children(
	struct graph *graph, const struct tree_node *parent, uint64_t whole)
{
	bool is_fractal = graph->options->style == OPTION_GRAPH_FRACTAL;
	struct graph_amount rest = { whole,
		parent->samples - parent->samples_at_ends };
	size_t indent = graph->indent.n;
	uint64_t printed = 0;
	uint32_t i;

	for (i = parent->child; i != TREE_NONE;
		i = node_at(graph, i)->sibling) {
		const struct tree_node *node = node_at(graph, i);
		bool is_last;

		rest.period -= node->period;
		rest.samples -= node->samples;
		is_last = node->sibling == TREE_NONE &&
			(!is_fractal || !rest.period);
		put_indent(graph, indent);
		strbuf_puts(graph->out, "|          \n");
		put_branch(graph, indent, is_last,
			(struct graph_amount){ node->period, node->samples },
			whole);
		strbuf_printf(&graph->indent, "%c%*s", is_last ? ' ' : '|',
			LEVEL_WIDTH - 1, "");
		put_node_label(graph, node);
		while (graph_continues(graph->tree, node)) {
			node = node_at(graph, node->child);
			put_indent(graph, graph->indent.n);
			put_node_label(graph, node);
		}
		put_children(graph, node,
			is_fractal ? node->period - node->ends : whole);
		graph->indent.n = indent;
		if (++printed == graph->options->entries)
			break;
	}
	/*
	 * Print the part of a branch whose children a fractal tree does not
	 * show as "[...]".
	 */
	if (graph->options->style != OPTION_GRAPH_FRACTAL || !rest.period ||
		rest.period == whole)
		return;
	/*
	 * The period of the rest includes stacks that end in the trunk, its
	 * number of samples does not.
	 */
	if (graph->options->value == OPTION_GRAPH_COUNT && !rest.samples)
		return;
	put_branch(graph, indent, true, rest, whole);
	strbuf_puts(graph->out, "[...]\n");
}

/*
 * Prints the nodes before the first fork. These nodes need no share, because
 * they have all samples of the row. If IS_NAMED, does not print the first
 * function, which is the name of the row. Returns the node that forks.
 */
static const struct tree_node *put_trunk(
	struct graph *graph, const struct tree_node *node, bool is_named)
{
	uint64_t most = graph->options->entries, printed = 0;

	for (;; node = node_at(graph, node->child)) {
		if (!is_named && (!most || printed < most)) {
			bool is_first = printed++ == 0;

			put_indent(graph, graph->indent.n);
			if (is_first) {
				strbuf_puts(graph->out, "|\n");
				put_indent(graph, graph->indent.n);
				strbuf_puts(graph->out, "---");
				strbuf_fill(&graph->indent, ' ', 3);
			}
			put_node_label(graph, node);
		}
		is_named = false;
		if (!graph_continues(graph->tree, node))
			return node;
	}
}

/* --- lists of paths ------------------------------------------------------- */

static int compare_ends(const void *a, const void *b, void *data)
{
	const uint32_t *left = a, *right = b;
	const struct graph *graph = data;
	uint64_t left_ends = node_at(graph, *left)->ends;
	uint64_t right_ends = node_at(graph, *right)->ends;

	if (left_ends != right_ends)
		return COMPARE(right_ends, left_ends);
	return COMPARE(*left, *right);
}

/*
 * Prints the names of the functions from the root to NODE, with BEFORE in front
 * of each name and AFTER between names.
 */
static void put_graph_path(struct graph *graph, uint32_t node,
	const char *before, const char *after)
{
	ARRAY(uint32_t) path = { 0 };

	for (; node_at(graph, node)->parent != TREE_NONE;
		node = node_at(graph, node)->parent)
		*array_push(&path) = node;
	while (path.n--) {
		strbuf_puts(graph->out, before);
		graph_put_label(graph->out, graph->result,
			node_at(graph, path.at[path.n])->location);
		strbuf_puts(graph->out, path.n ? after : "\n");
	}
	array_free(&path);
}

static void put_graph_paths(struct graph *graph, uint64_t least)
{
	bool is_flat = graph->options->style == OPTION_GRAPH_FLAT;
	ARRAY(uint32_t) ends = { 0 };
	uint64_t printed = 0;
	uint32_t i;

	for (i = 1; i < graph->tree->nodes.n; i++)
		if (node_at(graph, i)->ends >= least)
			*array_push(&ends) = i;
	if (ends.n)
		qsort_r(ends.at, ends.n, sizeof(*ends.at), compare_ends, graph);
	array_each(&ends, end) {
		const struct tree_node *node = node_at(graph, *end);
		struct graph_amount own = { node->ends, node->samples_at_ends };
		struct graph_amount all = { node->period, node->samples };

		if (is_flat)
			strbuf_fill(graph->out, ' ', MARGIN - 1);
		/*
		 * As in perf, the value of a flat path includes the longer
		 * paths that begin with the same functions.
		 */
		graph_put_value(graph->out, graph->result->options,
			is_flat ? all : own, graph->total);
		strbuf_puts(graph->out, is_flat ? "\n" : " ");
		if (is_flat)
			put_graph_path(graph, *end, "                ", "\n");
		else
			put_graph_path(graph, *end, "",
				graph->result->options->rows.separator ?: ";");
		if (is_flat)
			strbuf_putc(graph->out, '\n');
		if (++printed == graph->options->entries)
			break;
	}
	array_free(&ends);
}

bool graph_reserve(const struct result *result, size_t size)
{
	if (budget_reserve(result->scan.budget, size))
		return true;
	log_note("%s: call graphs need more memory than a recording of this "
		 "size may use; the other rows are shown without call graphs",
		result_path(result));
	return false;
}

void graph_tree(const struct result *result, const struct hist *hist,
	const struct row *row, struct tree *ret)
{
	const struct option_graph *options = &result->options->graph;
	struct tree_request request = { .key = options->key };

	if (options->style == OPTION_GRAPH_TREE)
		request.limit = least_branch_period(options, hist);
	if (options->style == OPTION_GRAPH_FRACTAL)
		request.share = options->limit / 100;
	forest_take(result->forest, hist, row, &request, ret);
}

bool graph_has_tree(const struct result *result, const struct hist *hist,
	const struct row *row)
{
	uint64_t weight = MAX(row->self, row->children);

	return result->forest && weight &&
		(result->options->graph.style != OPTION_GRAPH_TREE ||
			weight >= least_branch_period(
					  &result->options->graph, hist));
}

void graph_print(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out)
{
	const struct option_graph *options = &result->options->graph;
	struct graph graph = {
		.result = result,
		.options = options,
		.total = hist->period,
		.out = out,
	};
	struct tree tree;

	if (!result->forest)
		return;
	graph_tree(result, hist, row, &tree);
	graph.tree = &tree;
	if (options->style == OPTION_GRAPH_TREE ||
		options->style == OPTION_GRAPH_FRACTAL) {
		uint64_t row_period = result->request.has_children
			? row->children
			: row->self;
		const struct tree_node *root = node_at(&graph, 0), *first;
		uint64_t whole = graph.options->style == OPTION_GRAPH_FRACTAL
			? row_period
			: graph.total;
		bool sorts_by_symbol = !result->options->rows.fields &&
			result->options->rows.sort &&
			string_starts(result->options->rows.sort, "sym");
		size_t before = graph.out->n;

		if (root->child != TREE_NONE) {
			first = node_at(&graph, root->child);
			strbuf_fill(&graph.indent, ' ', MARGIN);
			if (first->sibling == TREE_NONE &&
				first->period == row_period)
				root = put_trunk(
					&graph, first, sorts_by_symbol);
			put_children(&graph, root, whole);
			if (graph.out->n != before)
				strbuf_putc(graph.out, '\n');
		}
	} else
		put_graph_paths(&graph,
			MAX(least_branch_period(options, hist), (uint64_t)1));
	strbuf_free(&graph.indent);
	tree_deinit(&tree);
}
