/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/stdio_aligned.h"

#include <inttypes.h>
#include <limits.h>

#include "report/view/stdio_cell.h"

/* Returns the width of column I that -w demands; 0: as wide as needed. */
static size_t given_width(const struct result *result, size_t i)
{
	const struct width_list *widths = &result->options->widths;

	return i < widths->columns.n ? widths->columns.at[i] : 0;
}

/* Returns the largest number of bytes of a cell that is shown. */
static int most_cell_bytes(const struct result *result, size_t i)
{
	size_t width = given_width(result, i);

	return width ? (int)width : INT_MAX;
}

/*
 * Makes the texts only for their length. They are made again when they are
 * printed, because keeping them needs memory per row.
 */
static void widen_columns(const struct result *result, const struct row *row,
	struct stdio_widths *widths)
{
	const struct columns *columns = &result->request.columns;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < columns->n; i++) {
		if (columns->at[i].field->kind != FIELD_KEY)
			continue;
		strbuf_clear(&text);
		stdio_cell_text(result, row, i, &text);
		widths->of[i] = MAX(widths->of[i], text.n);
	}
}

void stdio_aligned_find(const struct result *result, const struct hist *hist,
	struct stdio_widths *ret)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++)
		ret->of[i] = stdio_cell_width(columns->at[i].field, hist);
	array_each(&hist->rows, row)
		if (!row->is_hidden)
			widen_columns(result, row, ret);
	for (i = 0; i < columns->n; i++) {
		size_t given = given_width(result, i);

		if (columns->at[i].field->kind == FIELD_KEY && given)
			ret->of[i] = given;
		ret->of[i] = MAX(ret->of[i], given);
	}
}

void stdio_aligned_put_heads(const struct result *result,
	const struct stdio_widths *widths, struct strbuf *out)
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
			is_key && is_last ? 0 : (int)widths->of[i],
			most_cell_bytes(result, i), stdio_cell_head(result, i));
		strbuf_fill(&dots, '.', widths->of[i]);
	}
	strbuf_putc(out, '\n');
	strbuf_put(out, dots.at, dots.n);
	strbuf_puts(out, "\n#\n");
}

static void put_aligned_share(
	struct strbuf *out, const struct result *result, double percent)
{
	const char *colour = stdio_cell_colour(result->options, percent);

	strbuf_printf(out, "%s%*.2f%%%s", colour, STDIO_SHARE_WIDTH - 1,
		percent, *colour ? "\033[m" : "");
}

/* Writes the numbers of all events of a group side by side. */
static void put_aligned_numbers(const struct result *result,
	const struct hist *hist, const struct row *row,
	const struct field *field, struct strbuf *out)
{
	size_t i;

	for (i = 0; i <= hist->members.n; i++)
		if (field->kind == FIELD_SHARE)
			put_aligned_share(out, result,
				stdio_cell_share(hist, row, field, i));
		else
			strbuf_printf(out, "%*" PRIu64, STDIO_COUNT_WIDTH,
				stdio_cell_number(row, field, i));
}

static void put_aligned_key(const struct result *result, const struct row *row,
	size_t column, size_t width, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	bool is_last = column + 1 == result->request.columns.n;
	size_t n;

	stdio_cell_text(result, row, column, &text);
	n = MIN(text.n, (size_t)most_cell_bytes(result, column));
	strbuf_put(out, text.at, n);
	if (!is_last && n < width)
		strbuf_fill(out, ' ', width - n);
}

void stdio_aligned_put_row(const struct result *result, const struct hist *hist,
	const struct row *row, const struct stdio_widths *widths,
	struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;

		strbuf_puts(out, "  ");
		if (field->kind == FIELD_KEY) {
			put_aligned_key(result, row, i, widths->of[i], out);
			continue;
		}
		strbuf_fill(out, ' ',
			widths->of[i] - stdio_cell_width(field, hist));
		put_aligned_numbers(result, hist, row, field, out);
	}
	strbuf_putc(out, '\n');
}
