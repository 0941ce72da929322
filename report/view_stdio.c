/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as a table of text, in the shape that perf's users know. */
#include "config.h"

#include <inttypes.h>

#include "common/escape.h"
#include "report/result.h"
#include "report/tree.h"

#define MARGIN 12      /* columns left of a call tree */
#define LEVEL_WIDTH 11 /* "|--12.34%--" */

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* 1126 is "1K", as perf shows counts. */
static void put_count(struct strbuf *out, uint64_t n)
{
	const char *units = " KMGTPE";

	while (n >= 1000 && units[1]) {
		n /= 1000;
		units++;
	}
	strbuf_printf(out, "%" PRIu64, n);
	if (*units != ' ')
		strbuf_putc(out, *units);
}

static void put_label(
	struct strbuf *out, const struct result *result, uint32_t location)
{
	const struct location *at =
		resolver_location(result->resolver, location);

	if (at->symbol)
		escape_text(out,
			resolver_symbol_name(result->resolver, location));
	else
		strbuf_printf(out, "0x%" PRIx64, at->ip);
}

struct tree_view {
	const struct result *result;
	const struct tree *tree;
	uint64_t total;
	struct strbuf *out;
	struct strbuf indent; /* what every further line begins with */
};

static const struct tree_node *node_at(const struct tree_view *view, uint32_t i)
{
	return &view->tree->nodes.at[i];
}

/* A node that all its stacks leave by one way goes on in the same column. */
static bool continues(
	const struct tree_view *view, const struct tree_node *node)
{
	return node->child != TREE_NONE &&
		node_at(view, node->child)->period == node->period;
}

static const struct tree_node *put_run(
	struct tree_view *view, const struct tree_node *node)
{
	put_label(view->out, view->result, node->location);
	strbuf_putc(view->out, '\n');
	while (continues(view, node)) {
		node = node_at(view, node->child);
		strbuf_put(view->out, view->indent.at, view->indent.n);
		put_label(view->out, view->result, node->location);
		strbuf_putc(view->out, '\n');
	}
	return node;
}

static void put_children(struct tree_view *view, const struct tree_node *parent)
{
	uint32_t i = parent->child;
	size_t indent = view->indent.n;

	while (i != TREE_NONE) {
		const struct tree_node *node = node_at(view, i);
		bool is_last = node->sibling == TREE_NONE;

		strbuf_put(view->out, view->indent.at, indent);
		strbuf_puts(view->out, "|          \n");
		strbuf_put(view->out, view->indent.at, indent);
		strbuf_printf(view->out, "%c--%.2f%%--", is_last ? ' ' : '|',
			share(node->period, view->total));
		strbuf_printf(&view->indent, "%c%*s", is_last ? ' ' : '|',
			LEVEL_WIDTH - 1, "");
		node = put_run(view, node);
		put_children(view, node);
		view->indent.n = indent;
		i = node_at(view, i)->sibling;
	}
}

/* ROW_PERIOD: a tree with one trunk that is all of the row needs no share. */
static void put_tree(struct tree_view *view, uint64_t row_period)
{
	const struct tree_node *root = node_at(view, 0), *first;

	if (root->child == TREE_NONE)
		return;
	first = node_at(view, root->child);
	strbuf_fill(&view->indent, ' ', MARGIN);
	if (first->sibling != TREE_NONE || first->period != row_period) {
		put_children(view, root);
	} else {
		strbuf_put(view->out, view->indent.at, view->indent.n);
		strbuf_puts(view->out, "|\n");
		strbuf_put(view->out, view->indent.at, view->indent.n);
		strbuf_puts(view->out, "---");
		strbuf_fill(&view->indent, ' ', 3);
		put_children(view, put_run(view, first));
	}
	strbuf_putc(view->out, '\n');
}

/* -g folded: a line per path that ends somewhere, its share in front. */
static void put_folded(struct tree_view *view, const struct tree_node *node)
{
	size_t path = view->indent.n;
	uint32_t i;

	for (i = node->child; i != TREE_NONE; i = node_at(view, i)->sibling) {
		const struct tree_node *child = node_at(view, i);

		view->indent.n = path;
		if (path)
			strbuf_putc(&view->indent, ';');
		put_label(&view->indent, view->result, child->location);
		if (child->ends) {
			strbuf_printf(view->out, "%.2f%% ",
				share(child->ends, view->total));
			strbuf_put(view->out, view->indent.at, view->indent.n);
			strbuf_putc(view->out, '\n');
		}
		put_folded(view, child);
	}
	view->indent.n = path;
}

static void put_call_graph(struct result *result, const struct hist *hist,
	struct row *row, struct strbuf *out)
{
	double limit = result->request.tree_limit * (double)hist->period / 100;
	struct tree tree;
	struct tree_view view = {
		.result = result,
		.tree = &tree,
		.total = hist->period,
		.out = out,
	};

	if (!row->cursors.n)
		return;
	tree_build(&result->scan, row, result->request.is_inverted,
		(uint64_t)limit, &result->names, &tree);
	if (result->options->graph == GRAPH_FOLDED)
		put_folded(&view, node_at(&view, 0));
	else
		put_tree(&view,
			result->request.has_children ? row->children
						     : row->self);
	strbuf_free(&view.indent);
	tree_deinit(&tree);
}

#define SHARE_WIDTH 8  /* "100.00%" and a blank before it */
#define COUNT_WIDTH 12

/* The cells of one row, so that columns can be as wide as needed. */
struct cells {
	char *text[COLUMNS_MAX]; /* owned; NULL for numbers */
};

/* A number's column has the same width whatever is in it. */
static size_t head_width(const struct field *field)
{
	switch (field->kind) {
	case FIELD_SHARE: return SHARE_WIDTH;
	case FIELD_COUNT: return COUNT_WIDTH;
	default: return strlen(field->header);
	}
}

static void make_cells(
	const struct result *result, const struct row *row, struct cells *ret)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		_cleanup_strbuf_ struct strbuf raw = { 0 };
		struct strbuf text = { 0 };

		if (columns->at[i].field->kind != FIELD_KEY)
			continue;
		strbuf_puts(&raw, "");
		hist_key_text(row, &columns->at[i], &result->names, &raw);
		strbuf_puts(&text, "");
		escape_text(&text, raw.at);
		ret->text[i] = text.at;
	}
}

/* Beside a column of callers' shares a row's own has another name. */
static const char *head_of(const struct result *result, size_t i)
{
	const struct column *at = result->request.columns.at;

	if (i == 1 && at[0].field->kind == FIELD_SHARE &&
		at[0].field->number == NUMBER_CHILDREN &&
		at[1].field->kind == FIELD_SHARE &&
		at[1].field->number == NUMBER_SELF)
		return "Self";
	return at[i].field->header;
}

static void put_column_heads(const struct result *result,
	const size_t width[COLUMNS_MAX], struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	_cleanup_strbuf_ struct strbuf dots = { 0 };
	size_t i;

	for (i = 0; i < columns->n; i++) {
		bool is_key = columns->at[i].field->kind == FIELD_KEY;
		bool is_last = i + 1 == columns->n;

		strbuf_puts(out, i ? "  " : "# ");
		strbuf_puts(&dots, i ? "  " : "# ");
		strbuf_printf(out, is_key ? "%-*s" : "%*s",
			is_key && is_last ? 0 : (int)width[i],
			head_of(result, i));
		strbuf_fill(&dots, '.', width[i]);
	}
	strbuf_putc(out, '\n');
	strbuf_put(out, dots.at, dots.n);
	strbuf_puts(out, "\n#\n");
}

/* As perf colours shares: red from 5 %, green from 0.5 %. */
static void put_share(
	struct strbuf *out, const struct result *result, double percent)
{
	const char *colour = percent >= 5 ? "\033[31m"
		: percent >= 0.5	  ? "\033[32m"
					  : "";

	if (!result->options->has_colour)
		colour = "";
	strbuf_printf(out, "%s%*.2f%%%s", colour, SHARE_WIDTH - 1, percent,
		*colour ? "\033[m" : "");
}

static void put_row(const struct result *result, const struct hist *hist,
	const struct row *row, const struct cells *cells,
	const size_t width[COLUMNS_MAX], struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;
		bool is_last = i + 1 == columns->n;

		strbuf_puts(out, "  ");
		if (field->kind == FIELD_SHARE)
			put_share(out, result,
				share(hist_number(row, field), hist->period));
		else if (field->kind == FIELD_COUNT)
			strbuf_printf(out, "%*" PRIu64, COUNT_WIDTH,
				hist_number(row, field));
		else
			strbuf_printf(out, "%-*s",
				is_last ? 0 : (int)width[i], cells->text[i]);
	}
	strbuf_putc(out, '\n');
}

static void put_rows(struct result *result, struct hist *hist,
	struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	struct cells *cells = xcalloc(hist->rows.n, sizeof(*cells));
	size_t width[COLUMNS_MAX], i, j;

	for (j = 0; j < columns->n; j++)
		width[j] = head_width(columns->at[j].field);
	for (i = 0; i < hist->rows.n; i++) {
		if (hist->rows.at[i].is_hidden)
			continue;
		make_cells(result, &hist->rows.at[i], &cells[i]);
		for (j = 0; j < columns->n; j++)
			if (cells[i].text[j])
				width[j] = MAX(
					width[j], strlen(cells[i].text[j]));
	}
	put_column_heads(result, width, out);
	for (i = 0; i < hist->rows.n; i++) {
		if (hist->rows.at[i].is_hidden)
			continue;
		put_row(result, hist, &hist->rows.at[i], &cells[i], width, out);
		put_call_graph(result, hist, &hist->rows.at[i], out);
		for (j = 0; j < columns->n; j++)
			free(cells[i].text[j]);
	}
	free(cells);
}

static void print(struct result *result, struct strbuf *out)
{
	double percent;
	uint64_t lost = result_lost(result, &percent);

	if (result->options->shows_header)
		result_header(result, out);
	strbuf_printf(out, "# Total Lost Samples: %" PRIu64 " (%.2f %%)\n#\n",
		lost, percent);
	array_each(&result->hists, hist) {
		if (!hist->samples)
			continue;
		strbuf_puts(out, "# Samples: ");
		put_count(out, hist->samples);
		strbuf_puts(out, " of event '");
		escape_text(out,
			reader_event(result->reader, hist->event)->name);
		strbuf_printf(out, "'\n# Event count (approx.): %" PRIu64
				   "\n#\n",
			hist->period);
		put_rows(result, hist, out);
		strbuf_puts(out, "\n\n");
	}
}

const struct view view_stdio = { "stdio", print };
