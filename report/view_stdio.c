/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as a table of text, in the shape that perf's users know. */
#include "config.h"

#include <inttypes.h>

#include "common/escape.h"
#include "report/graph.h"
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
		graph_print(result, hist, &hist->rows.at[i], out);
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
