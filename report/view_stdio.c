/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as a table of text, in the shape that perf's users know. */
#include "config.h"

#include <inttypes.h>
#include <limits.h>

#include "common/escape.h"
#include "common/log.h"
#include "report/graph.h"
#include "report/group.h"
#include "report/header.h"
#include "report/output.h"
#include "report/result.h"

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

#define SHARE_WIDTH 8  /* "100.00%" and a blank before it */
#define COUNT_WIDTH 12

/* The cells of one row, so that columns can be as wide as needed. */
struct cells {
	char *text[COLUMNS_MAX]; /* owned; NULL for numbers */
};

/* A number's column has the same width whatever is in it: one of each event. */
static size_t head_width(const struct field *field, size_t n_events)
{
	switch (field->kind) {
	case FIELD_SHARE: return SHARE_WIDTH * n_events;
	case FIELD_COUNT: return COUNT_WIDTH * n_events;
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

/* What -w says of column I; 0: it is as wide as needed. */
static size_t wished_width(const struct result *result, size_t i)
{
	const struct width_list *widths = &result->options->widths;

	return i < widths->columns.n ? widths->columns.at[i] : 0;
}

/* So many bytes of a cell at most. */
static int most_of(const struct result *result, size_t i)
{
	size_t width = wished_width(result, i);

	return width ? (int)width : INT_MAX;
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
		strbuf_printf(out, is_key ? "%-*.*s" : "%*.*s",
			is_key && is_last ? 0 : (int)width[i],
			most_of(result, i), head_of(result, i));
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

/* As it is, of one event of a group. */
static void put_number(const struct hist *hist, const struct row *row,
	const struct field *field, size_t i, struct strbuf *out)
{
	const struct row *own = hist_member_row(row, i);
	uint64_t period = i ? hist->members.at[i - 1].period : hist->period;
	uint64_t number = own ? hist_number(own, field) : 0;

	if (field->kind == FIELD_SHARE)
		strbuf_printf(out, "%.2f%%", share(number, period));
	else
		strbuf_printf(out, "%" PRIu64, number);
}

/* One beside the other, of each event of a group. */
static void put_numbers(const struct result *result, const struct hist *hist,
	const struct row *row, const struct field *field, struct strbuf *out)
{
	size_t i;

	for (i = 0; i <= hist->members.n; i++) {
		const struct row *own = hist_member_row(row, i);
		uint64_t period =
			i ? hist->members.at[i - 1].period : hist->period;
		uint64_t number = own ? hist_number(own, field) : 0;

		if (field->kind == FIELD_SHARE)
			put_share(out, result, share(number, period));
		else
			strbuf_printf(out, "%*" PRIu64, COUNT_WIDTH, number);
	}
}

static void put_row(const struct result *result, const struct hist *hist,
	const struct row *row, const struct cells *cells,
	const size_t width[COLUMNS_MAX], struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		bool is_last = i + 1 == columns->n;

		strbuf_puts(out, "  ");
		if (cells->text[i]) {
			strbuf_printf(out, "%-*.*s",
				is_last ? 0 : (int)width[i],
				most_of(result, i), cells->text[i]);
			continue;
		}
		strbuf_fill(out, ' ',
			width[i] - head_width(columns->at[i].field,
					   hist->members.n + 1));
		put_numbers(result, hist, row, columns->at[i].field, out);
	}
	strbuf_putc(out, '\n');
}

/* A cell of -t: the separator stands between cells only. */
static void put_separated(
	const struct result *result, const char *cell, struct strbuf *out)
{
	const char *separator = result->options->separator;
	size_t n = strlen(separator);

	while (*cell) {
		bool is_one = !strncmp(cell, separator, n);

		strbuf_putc(out, is_one ? '.' : *cell);
		cell += is_one ? n : 1;
	}
}

static void put_separated_heads(const struct result *result, struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		strbuf_puts(out, i ? result->options->separator : "# ");
		put_separated(result, head_of(result, i), out);
	}
	strbuf_putc(out, '\n');
}

static void put_separated_row(const struct result *result,
	const struct hist *hist, const struct row *row,
	const struct cells *cells, struct strbuf *out)
{
	const char *separator = result->options->separator;
	const struct columns *columns = &result->request.columns;
	size_t i, j;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;

		if (i)
			strbuf_puts(out, separator);
		if (cells->text[i])
			put_separated(result, cells->text[i], out);
		for (j = 0; !cells->text[i] && j <= hist->members.n; j++) {
			if (j)
				strbuf_puts(out, separator);
			put_number(hist, row, field, j, out);
		}
	}
	strbuf_putc(out, '\n');
}

static void free_cells(struct cells *cells, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(cells->text[i]);
}

/* Texts are made twice, rather than kept: rows may be many. */
static void widen(const struct result *result, const struct row *row,
	size_t width[COLUMNS_MAX])
{
	size_t n = result->request.columns.n, i;
	struct cells cells = { 0 };

	make_cells(result, row, &cells);
	for (i = 0; i < n; i++)
		if (cells.text[i])
			width[i] = MAX(width[i], strlen(cells.text[i]));
	free_cells(&cells, n);
}

static void find_widths(const struct result *result, const struct hist *hist,
	size_t width[COLUMNS_MAX])
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++)
		width[i] = head_width(
			columns->at[i].field, hist->members.n + 1);
	array_each(&hist->rows, row)
		if (!row->is_hidden)
			widen(result, row, width);
	for (i = 0; i < columns->n; i++) {
		size_t wished = wished_width(result, i);

		if (columns->at[i].field->kind == FIELD_KEY && wished)
			width[i] = wished;
		width[i] = MAX(width[i], wished);
	}
}

/* False when there have been so many that the next ones are left out. */
static bool put_graph(struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out)
{
	size_t before = out->n;

	graph_print(result, hist, row, out);
	if (reader_affords(result->scan.reader, out->n - before))
		return true;
	log_note("%s: its call graphs are too long for its size; those behind "
		 "the first ones are left out",
		reader_path(result->scan.reader));
	return false;
}

static void put_rows(struct result *result, struct hist *hist,
	struct strbuf *out)
{
	size_t width[COLUMNS_MAX];
	bool has_graphs = true;

	find_widths(result, hist, width);
	if (result->options->separator)
		put_separated_heads(result, out);
	else
		put_column_heads(result, width, out);
	array_each(&hist->rows, row) {
		struct cells cells = { 0 };

		if (row->is_hidden)
			continue;
		make_cells(result, row, &cells);
		if (result->options->separator)
			put_separated_row(result, hist, row, &cells, out);
		else
			put_row(result, hist, row, &cells, width, out);
		has_graphs = has_graphs &&
			put_graph(result, hist, row, out);
		free_cells(&cells, result->request.columns.n);
		output_some(out);
	}
}

/* "cycles", or "anon group { cycles, instructions }". */
static void put_events(const struct result *result, const struct hist *hist,
	struct strbuf *out)
{
	const char *name;

	if (!hist->members.n) {
		escape_text(out,
			result_event(result, hist)->name);
		return;
	}
	group_size(&result->inputs, hist->event, true, &name);
	escape_text(out, *name ? name : "anon group");
	strbuf_puts(out, " { ");
	escape_text(out, result_event(result, hist)->name);
	array_each(&hist->members, member) {
		strbuf_puts(out, ", ");
		escape_text(out,
			result_event(result, member)->name);
	}
	strbuf_puts(out, " }");
}

static void put_title(const struct result *result, const struct hist *hist,
	struct strbuf *out)
{
	uint64_t samples = hist->samples, period = hist->period;

	array_each(&hist->members, member) {
		samples += member->samples;
		period += member->period;
	}
	strbuf_puts(out, "# Samples: ");
	put_count(out, samples);
	strbuf_printf(
		out, " of event%s '", hist->members.n ? "s" : "");
	put_events(result, hist, out);
	strbuf_printf(out, "'\n# Event count (approx.): %" PRIu64 "\n#\n",
		period);
}

static void put_unwound(const struct result *result, struct strbuf *out)
{
	struct unwound unwound = result_unwound(result);

	if (!unwound.stacks)
		return;
	strbuf_puts(out, "# Copied Stacks: ");
	unwound_print(&unwound, out);
	strbuf_puts(out, "\n#\n");
}

static void print(struct result *result, struct strbuf *out)
{
	double percent;
	uint64_t lost = result_lost(result, &percent);

	if (result->options->shows_header)
		header_put_all(result, out);
	strbuf_printf(out, "# Total Lost Samples: %" PRIu64 " (%.2f %%)\n#\n",
		lost, percent);
	put_unwound(result, out);
	array_each(&result->hists, hist) {
		put_title(result, hist, out);
		put_rows(result, hist, out);
		strbuf_puts(out, "\n\n");
	}
}

const struct view view_stdio = { "stdio", print };
