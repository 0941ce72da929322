/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/stdio_separated.h"

#include <inttypes.h>

#include "report/view/stdio_cell.h"

void stdio_separated_put_cell(
	const char *cell, const char *separator, struct strbuf *out)
{
	size_t n = strlen(separator);

	while (*cell) {
		bool is_separator = !strncmp(cell, separator, n);

		strbuf_putc(out, is_separator ? '.' : *cell);
		cell += is_separator ? n : 1;
	}
}

static void put_separated_key(const struct result *result,
	const struct row *row, size_t column, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_puts(&text, "");
	stdio_cell_text(result, row, column, &text);
	stdio_separated_put_cell(text.at, result->options->separator, out);
}

/* Writes a cell for each event of a group. */
static void put_separated_numbers(const struct result *result,
	const struct hist *hist, const struct row *row,
	const struct field *field, struct strbuf *out)
{
	size_t i;

	for (i = 0; i <= hist->members.n; i++) {
		if (i)
			strbuf_puts(out, result->options->separator);
		if (field->kind == FIELD_SHARE)
			strbuf_printf(out, "%.2f%%",
				stdio_cell_share(hist, row, field, i));
		else
			strbuf_printf(out, "%" PRIu64,
				stdio_cell_number(row, field, i));
	}
}

void stdio_separated_put_heads(const struct result *result, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < result->request.columns.n; i++) {
		strbuf_puts(out, i ? result->options->separator : "# ");
		stdio_separated_put_cell(stdio_cell_head(result, i),
			result->options->separator, out);
	}
	strbuf_putc(out, '\n');
}

void stdio_separated_put_row(const struct result *result,
	const struct hist *hist, const struct row *row, struct strbuf *out)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++) {
		const struct field *field = columns->at[i].field;

		if (i)
			strbuf_puts(out, result->options->separator);
		if (field->kind == FIELD_KEY)
			put_separated_key(result, row, i, out);
		else
			put_separated_numbers(result, hist, row, field, out);
	}
	strbuf_putc(out, '\n');
}
