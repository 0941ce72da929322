/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_lines.h"

#include "common/util/alloc.h"
#include "report/tui/tui_cursor.h"
#include "report/view/graph.h"
#include "report/view/stdio_cell.h"

static const struct tree_node *node_of(
	const struct tui_row *row, uint32_t number)
{
	return &row->tree.nodes.at[number];
}

static struct tui_row *row_of(const struct tui_lines *lines, size_t line)
{
	return &lines->rows.at[lines->at.at[line].row];
}

static uint64_t weight_of(const struct tui_lines *lines, const struct row *row)
{
	return hist_weight(&lines->result->request, row);
}

/* --- from rows to lines --------------------------------------------------- */

static void add_line(struct tui_lines *lines, uint32_t row, uint32_t node,
	uint16_t depth, bool is_first)
{
	*array_push(&lines->at) = (struct tui_line){
		.row = row, .node = node, .depth = depth, .is_first = is_first
	};
}

/* The rest of what begins at NODE, in the same column; its last node. */
static uint32_t add_run(struct tui_lines *lines, uint32_t number,
	uint32_t node, uint16_t depth)
{
	const struct tui_row *row = &lines->rows.at[number];

	while (graph_goes_on(&row->tree, node_of(row, node))) {
		node = node_of(row, node)->child;
		add_line(lines, number, node, depth, false);
	}
	return node;
}

/* The branches below PARENT, as far as they are unfolded. */
static void add_branches(struct tui_lines *lines, uint32_t number,
	uint32_t parent, uint16_t depth)
{
	const struct tui_row *row = &lines->rows.at[number];
	uint64_t most = lines->result->options->graph.entries, n = 0;
	uint32_t i;

	for (i = node_of(row, parent)->child; i != TREE_NONE;
		i = node_of(row, i)->sibling) {
		add_line(lines, number, i, depth, true);
		if (row->is_open[i])
			add_branches(lines, number,
				add_run(lines, number, i, depth),
				(uint16_t)MIN(depth + 1, UINT16_MAX));
		if (++n == most)
			break;
	}
}

static bool is_open(const struct tui_row *row, uint32_t node)
{
	return row->tree.nodes.n && row->is_open[node];
}

static void list(struct tui_lines *lines)
{
	uint32_t i;

	array_clear(&lines->at);
	for (i = 0; i < lines->rows.n; i++) {
		add_line(lines, i, 0, 0, true);
		if (is_open(&lines->rows.at[i], 0))
			add_branches(lines, i, 0, 1);
	}
}

void tui_lines_init(const struct result *result, const struct hist *hist,
	struct tui_lines *ret)
{
	*ret = (struct tui_lines){ .result = result, .hist = hist };
	array_each(&hist->rows, row)
		if (!row->is_hidden)
			array_push(&ret->rows)->row = row;
	list(ret);
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
	if (lines->put_by)
		reader_returns(lines->result->scan.reader, lines->put_by);
}

/* --- the cursor ----------------------------------------------------------- */

void tui_lines_fit(struct tui_lines *lines, size_t height)
{
	lines->height = height;
	tui_lines_go(lines, lines->cursor);
}

void tui_lines_go(struct tui_lines *lines, size_t line)
{
	tui_scroll(lines->at.n, lines->height, line, &lines->cursor,
		&lines->top);
}

void tui_lines_move(struct tui_lines *lines, ptrdiff_t by)
{
	size_t back = by < 0 ? (size_t)-by : 0;

	if (by < 0)
		tui_lines_go(lines,
			lines->cursor > back ? lines->cursor - back : 0);
	else
		tui_lines_go(lines, lines->cursor + (size_t)by);
}

/* --- folding -------------------------------------------------------------- */

/* A trunk that is all of the row has no number: one sees through it at once. */
static void open_trunk(const struct tui_lines *lines, struct tui_row *row)
{
	uint32_t child = node_of(row, 0)->child;

	if (child != TREE_NONE && node_of(row, child)->sibling == TREE_NONE &&
		node_of(row, child)->period == weight_of(lines, row->row))
		row->is_open[child] = true;
}

/*
 * A row below the limit of all graphs has one, too, of the branches that are
 * that large a part of it.
 */
static void grow_small(struct tui_lines *lines, struct tui_row *row)
{
	const struct result *result = lines->result;
	const struct tree_request request = {
		.share = result->options->graph.limit / 100,
		.key = result->options->graph.key,
	};

	if (!lines->small)
		lines->small = forest_create(&result->scan, &result->names);
	forest_take(lines->small, lines->hist, row->row, &request, &row->tree);
}

static void grow(struct tui_lines *lines, struct tui_row *row)
{
	if (row->tree.nodes.n)
		return;
	if (graph_has_tree(lines->result, lines->hist, row->row))
		graph_tree(lines->result, lines->hist, row->row, &row->tree);
	else
		grow_small(lines, row);
	row->is_open = xcalloc(row->tree.nodes.n, sizeof(*row->is_open));
	open_trunk(lines, row);
}

/* Whether there is anything below the row. */
static bool has_tree(struct tui_lines *lines, struct tui_row *row)
{
	if (!lines->result->forest)
		return false;
	grow(lines, row);
	return node_of(row, 0)->child != TREE_NONE;
}

/* The cursor stays on ROW's NODE, or on what that was folded into. */
static void list_again(struct tui_lines *lines)
{
	struct tui_line was = { 0 };
	size_t from_top = lines->cursor - lines->top, i;

	if (lines->at.n)
		was = lines->at.at[lines->cursor];
	list(lines);
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

/* The first line of the branch that LINE is of. */
static size_t first_line(const struct tui_lines *lines, size_t line)
{
	while (!lines->at.at[line].is_first)
		line--;
	return line;
}

/* Opened, all of a row up to its last frame is seen. */
static void set_all(struct tui_row *row, bool is_open)
{
	size_t i;

	for (i = 0; i < row->tree.nodes.n; i++)
		row->is_open[i] = is_open;
}

bool tui_lines_turn(struct tui_lines *lines)
{
	struct tui_row *row;
	uint32_t node;

	if (!lines->at.n)
		return false;
	lines->cursor = first_line(lines, lines->cursor);
	row = row_of(lines, lines->cursor);
	node = lines->at.at[lines->cursor].node;
	if (!has_tree(lines, row) || node_of(row, node)->child == TREE_NONE)
		return false;
	row->is_open[node] = !row->is_open[node];
	list_again(lines);
	return true;
}

bool tui_lines_turn_all(struct tui_lines *lines)
{
	struct tui_row *row;
	bool was_open;

	if (!lines->at.n)
		return false;
	row = row_of(lines, lines->cursor);
	if (!has_tree(lines, row))
		return false;
	was_open = row->is_open[0];
	set_all(row, !was_open);
	list_again(lines);
	return true;
}

/* A few rows that somebody has unfolded are no matter; all of them are. */
static bool affords(struct tui_lines *lines, const struct tui_row *row)
{
	uint64_t size = row->tree.nodes.n *
		(sizeof(struct tree_node) + sizeof(struct tui_line));

	if (!reader_affords(lines->result->scan.reader, size))
		return false;
	lines->put_by += size;
	return true;
}

/* Of small rows only those that were unfolded: there are many of them. */
bool tui_lines_open_all(struct tui_lines *lines)
{
	bool is_whole = true;

	array_each(&lines->rows, row) {
		bool is_grown = row->tree.nodes.n;

		if (!is_grown &&
			!graph_has_tree(lines->result, lines->hist, row->row))
			continue;
		if (!has_tree(lines, row))
			continue;
		is_whole = is_grown || affords(lines, row);
		if (!is_whole)
			break;
		set_all(row, true);
	}
	list_again(lines);
	return is_whole;
}

void tui_lines_close_all(struct tui_lines *lines)
{
	array_each(&lines->rows, row) {
		set_all(row, false);
		if (row->tree.nodes.n)
			open_trunk(lines, row);
	}
	list_again(lines);
}

/* --- what a line says ----------------------------------------------------- */

const struct row *tui_lines_row(const struct tui_lines *lines, size_t line)
{
	return row_of(lines, line)->row;
}

char tui_lines_sign(const struct tui_lines *lines, size_t line)
{
	const struct tui_line *at = &lines->at.at[line];
	const struct tui_row *row = row_of(lines, line);

	if (!lines->result->forest || !at->is_first)
		return ' ';
	if (!row->tree.nodes.n)
		return weight_of(lines, row->row) ? '+' : ' ';
	if (node_of(row, at->node)->child == TREE_NONE)
		return ' ';
	return row->is_open[at->node] ? '-' : '+';
}

uint32_t tui_lines_location(const struct tui_lines *lines, size_t line)
{
	return node_of(row_of(lines, line), lines->at.at[line].node)->location;
}

double tui_lines_put_value(
	const struct tui_lines *lines, size_t line, struct strbuf *out)
{
	const struct graph_options *options = &lines->result->options->graph;
	const struct tui_row *row = row_of(lines, line);
	const struct tree_node *node = node_of(row, lines->at.at[line].node);
	const struct tree_node *parent = node_of(row, node->parent);
	uint64_t whole = lines->hist->period;

	if (options->style == GRAPH_FRACTAL)
		whole = node->parent ? parent->period - parent->ends
				     : weight_of(lines, row->row);
	graph_put_value(out, options,
		(struct graph_amount){ node->period, node->samples }, whole);
	return whole ? 100.0 * (double)node->period / (double)whole : 0;
}

void tui_lines_put_text(
	const struct tui_lines *lines, size_t line, struct strbuf *out)
{
	const struct columns *columns = &lines->result->request.columns;
	const struct tui_row *row = row_of(lines, line);
	uint32_t node = lines->at.at[line].node;
	size_t i;

	if (node) {
		graph_put_label(
			out, lines->result, node_of(row, node)->location);
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

bool tui_lines_find(struct tui_lines *lines, const char *wanted, bool forwards)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t n = lines->at.n, line = lines->cursor, i;

	for (i = 0; i < n; i++) {
		line = forwards ? (line + 1) % n : (line + n - 1) % n;
		strbuf_clear(&text);
		tui_lines_put_text(lines, line, &text);
		if (tui_match(text.at, wanted)) {
			tui_lines_go(lines, line);
			return true;
		}
	}
	return false;
}
