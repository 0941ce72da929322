/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_lines.h"

#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "report/tui/tui_cursor.h"
#include "report/view/graph.h"
#include "report/view/stdio_cell.h"

static const struct tree_node *row_tree_node(
	const struct tui_row *row, uint32_t number)
{
	return &row->tree.nodes.at[number];
}

static struct tui_row *line_row(const struct tui_lines *lines, size_t line)
{
	return &lines->rows.at[lines->at.at[line].row];
}

static uint64_t row_weight(const struct tui_lines *lines, const struct row *row)
{
	return hist_weight(&lines->result->request, row);
}

/* --- from rows to lines -------------------------------------------------- */

static void add_tui_line(struct tui_lines *lines, uint32_t row, uint32_t node,
	uint16_t depth, bool is_first)
{
	*array_push(&lines->at) = (struct tui_line){
		.row = row, .node = node, .depth = depth, .is_first = is_first
	};
}

/*
 * Adds lines for the branches below PARENT, and for the branches below expanded
 * ones.
 */
static void add_branch_lines(struct tui_lines *lines, uint32_t number,
	uint32_t parent, uint16_t depth)
{
	const struct tui_row *row = &lines->rows.at[number];
	uint64_t most = lines->result->options->graph.entries, n = 0;
	uint32_t i;

	for (i = row_tree_node(row, parent)->child; i != TREE_NONE;
		i = row_tree_node(row, i)->sibling) {
		add_tui_line(lines, number, i, depth, true);
		if (row->is_open[i]) {
			uint32_t node = i;
			/*
			 * Frames that all stacks share are in the same column.
			 */
			while (graph_continues(
				&row->tree, row_tree_node(row, node))) {
				node = row_tree_node(row, node)->child;
				add_tui_line(lines, number, node, depth, false);
			}
			add_branch_lines(lines, number, node,
				(uint16_t)MIN(depth + 1, UINT16_MAX));
		}
		if (++n == most)
			break;
	}
}

static bool is_branch_open(const struct tui_row *row, uint32_t node)
{
	return row->tree.nodes.n && row->is_open[node];
}

static void list_lines(struct tui_lines *lines)
{
	uint32_t i;

	array_clear(&lines->at);
	for (i = 0; i < lines->rows.n; i++) {
		add_tui_line(lines, i, 0, 0, true);
		if (is_branch_open(&lines->rows.at[i], 0))
			add_branch_lines(lines, i, 0, 1);
	}
}

void tui_lines_init(const struct result *result, const struct hist *hist,
	struct tui_lines *ret)
{
	*ret = (struct tui_lines){ .result = result, .hist = hist };
	array_each(&hist->rows, row)
		if (!row->is_hidden)
			array_push(&ret->rows)->row = row;
	list_lines(ret);
}

void tui_lines_deinit(struct tui_lines *lines)
{
	array_each(&lines->rows, row) {
		tree_deinit(&row->tree);
		free(row->is_open);
	}
	array_free(&lines->rows);
	array_free(&lines->at);
	forest_destroy(lines->small);
	if (lines->reserved_bytes)
		budget_release(
			lines->result->scan.budget, lines->reserved_bytes);
}

/* --- the cursor ---------------------------------------------------------- */

void tui_lines_fit(struct tui_lines *lines, size_t height)
{
	lines->height = height;
	tui_lines_go(lines, lines->cursor);
}

void tui_lines_go(struct tui_lines *lines, size_t line)
{
	tui_cursor_scroll(
		lines->at.n, lines->height, line, &lines->cursor, &lines->top);
}

/* --- folding ------------------------------------------------------------- */

/*
 * Expands the branch of ROW if it is the only branch and contains all samples
 * of the row.
 */
static void expand_trunk(const struct tui_lines *lines, struct tui_row *row)
{
	uint32_t child = row_tree_node(row, 0)->child;

	if (child != TREE_NONE &&
		row_tree_node(row, child)->sibling == TREE_NONE &&
		row_tree_node(row, child)->period ==
			row_weight(lines, row->row))
		row->is_open[child] = true;
}

/*
 * Makes the call tree of ROW if needed. Returns whether the row can be
 * expanded.
 */
static bool has_row_tree(struct tui_lines *lines, struct tui_row *row)
{
	if (!lines->result->forest)
		return false;
	if (!row->tree.nodes.n) {
		if (graph_has_tree(lines->result, lines->hist, row->row))
			graph_tree(lines->result, lines->hist, row->row,
				&row->tree);
		else {
			/*
			 * The row is below the percentage limit of call graphs.
			 * In its tree, the limit applies to branches as a
			 * percentage of the row.
			 */
			const struct result *result = lines->result;
			const struct tree_request request = {
				.share = result->options->graph.limit / 100,
				.key = result->options->graph.key,
			};
			if (!lines->small)
				lines->small = forest_create(
					&result->scan, &result->names);
			forest_take(lines->small, lines->hist, row->row,
				&request, &row->tree);
		}
		row->is_open =
			xcalloc(row->tree.nodes.n, sizeof(*row->is_open));
		expand_trunk(lines, row);
	}
	return row_tree_node(row, 0)->child != TREE_NONE;
}

/*
 * Lists the lines after branches were expanded or collapsed. Keeps the cursor
 * on its branch, or moves it to the row if the branch is not listed any more.
 */
static void relist_lines(struct tui_lines *lines)
{
	struct tui_line was = { 0 };
	size_t from_top = lines->cursor - lines->top, i;

	if (lines->at.n)
		was = lines->at.at[lines->cursor];
	list_lines(lines);
	for (i = 0; i < lines->at.n; i++) {
		const struct tui_line *line = &lines->at.at[i];

		if (line->row > was.row)
			break;
		if (line->row != was.row ||
			(line->node && line->node != was.node))
			continue;
		lines->cursor = i;
	}
	lines->top = lines->cursor > from_top ? lines->cursor - from_top : 0;
	tui_lines_go(lines, lines->cursor);
}

static void set_branches_open(struct tui_row *row, bool is_branch_open)
{
	size_t i;

	for (i = 0; i < row->tree.nodes.n; i++)
		row->is_open[i] = is_branch_open;
}

bool tui_lines_toggle(struct tui_lines *lines)
{
	struct tui_row *row;
	uint32_t node;

	if (!lines->at.n)
		return false;
	size_t line = lines->cursor;
	while (!lines->at.at[line].is_first)
		line--;
	lines->cursor = line;
	row = line_row(lines, lines->cursor);
	node = lines->at.at[lines->cursor].node;
	if (!has_row_tree(lines, row) ||
		row_tree_node(row, node)->child == TREE_NONE)
		return false;
	row->is_open[node] = !row->is_open[node];
	relist_lines(lines);
	return true;
}

bool tui_lines_toggle_all(struct tui_lines *lines)
{
	struct tui_row *row;
	bool was_open;

	if (!lines->at.n)
		return false;
	row = line_row(lines, lines->cursor);
	if (!has_row_tree(lines, row))
		return false;
	was_open = row->is_open[0];
	set_branches_open(row, !was_open);
	relist_lines(lines);
	return true;
}

/*
 * Reserves memory for the tree of ROW, only when all rows are expanded, not for
 * single rows.
 */
static bool reserve_row_memory(
	struct tui_lines *lines, const struct tui_row *row)
{
	uint64_t size = row->tree.nodes.n *
		(sizeof(struct tree_node) + sizeof(struct tui_line));

	if (!budget_reserve(lines->result->scan.budget, size))
		return false;
	lines->reserved_bytes += size;
	return true;
}

/*
 * Rows below the percentage limit of call graphs are skipped unless the user
 * has expanded them before.
 */
bool tui_lines_expand_all(struct tui_lines *lines)
{
	bool is_complete = true;

	array_each(&lines->rows, row) {
		bool is_grown = row->tree.nodes.n;

		if (!is_grown &&
			!graph_has_tree(lines->result, lines->hist, row->row))
			continue;
		if (!has_row_tree(lines, row))
			continue;
		is_complete = is_grown || reserve_row_memory(lines, row);
		if (!is_complete)
			break;
		set_branches_open(row, true);
	}
	relist_lines(lines);
	return is_complete;
}

void tui_lines_collapse_all(struct tui_lines *lines)
{
	array_each(&lines->rows, row) {
		set_branches_open(row, false);
		if (row->tree.nodes.n)
			expand_trunk(lines, row);
	}
	relist_lines(lines);
}

/* --- text of lines ------------------------------------------------------- */

const struct row *tui_lines_row(const struct tui_lines *lines, size_t line)
{
	return line_row(lines, line)->row;
}

char tui_lines_sign(const struct tui_lines *lines, size_t line)
{
	const struct tui_line *at = &lines->at.at[line];
	const struct tui_row *row = line_row(lines, line);

	if (!lines->result->forest || !at->is_first)
		return ' ';
	if (!row->tree.nodes.n)
		return row_weight(lines, row->row) ? '+' : ' ';
	if (row_tree_node(row, at->node)->child == TREE_NONE)
		return ' ';
	return row->is_open[at->node] ? '-' : '+';
}

uint32_t tui_lines_location(const struct tui_lines *lines, size_t line)
{
	return row_tree_node(line_row(lines, line), lines->at.at[line].node)
		->location;
}

double tui_lines_put_value(
	const struct tui_lines *lines, size_t line, struct strbuf *out)
{
	const struct option_graph *options = &lines->result->options->graph;
	const struct tui_row *row = line_row(lines, line);
	const struct tree_node *node =
		row_tree_node(row, lines->at.at[line].node);
	const struct tree_node *parent = row_tree_node(row, node->parent);
	uint64_t whole = lines->hist->period;

	if (options->style == OPTION_GRAPH_FRACTAL)
		whole = node->parent ? parent->period - parent->ends
				     : row_weight(lines, row->row);
	graph_put_value(out, lines->result->options,
		(struct graph_amount){ node->period, node->samples }, whole);
	return whole ? 100.0 * (double)node->period / (double)whole : 0;
}

void tui_lines_put_text(
	const struct tui_lines *lines, size_t line, struct strbuf *out)
{
	const struct columns *columns = &lines->result->request.columns;
	const struct tui_row *row = line_row(lines, line);
	uint32_t node = lines->at.at[line].node;
	size_t i;

	if (node) {
		graph_put_label(
			out, lines->result, row_tree_node(row, node)->location);
		return;
	}
	strbuf_puts(out, "");
	for (i = 0; i < columns->n; i++) {
		if (columns->at[i].field->kind != FIELD_KEY)
			continue;
		stdio_cell_text(lines->result, row->row, i, out);
		strbuf_putc(out, ' ');
	}
}

bool tui_lines_find(
	struct tui_lines *lines, const char *searched, bool forwards)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t n = lines->at.n, line = lines->cursor, i;

	for (i = 0; i < n; i++) {
		line = forwards ? (line + 1) % n : (line + n - 1) % n;
		strbuf_clear(&text);
		tui_lines_put_text(lines, line, &text);
		if (tui_cursor_match(text.at, searched)) {
			tui_lines_go(lines, line);
			return true;
		}
	}
	return false;
}
