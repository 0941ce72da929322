/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a comparison as a text table in the layout of perf diff. */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/diff/diff_cell.h"
#include "report/diff/diff_view.h"
#include "report/scan/damaged_inputs.h"
#include "report/util/output.h"
#include "report/view/stdio_separated.h"

struct page {
	const struct diff *diff;
	const struct diff_event *event;
	struct diff_columns columns;
	ARRAY(size_t) widths; /* by column */
	struct strbuf cell;   /* text of the current cell */
	struct strbuf *out;
};

static const struct strbuf *format_heading(struct page *page, size_t column)
{
	strbuf_clear(&page->cell);
	strbuf_puts(&page->cell, "");
	diff_column_head(
		page->diff, &page->columns.at.at[column], &page->cell);
	return &page->cell;
}

static const struct strbuf *format_cell(
	struct page *page, const struct diff_row *row, size_t column)
{
	strbuf_clear(&page->cell);
	strbuf_puts(&page->cell, "");
	diff_cell_put(page->diff, page->event, row,
		&page->columns.at.at[column], &page->cell);
	return &page->cell;
}

/* Texts are formatted twice instead of stored: there can be many rows. */
static void find_text_widths(struct page *page)
{
	size_t i;

	array_clear(&page->widths);
	for (i = 0; i < page->columns.at.n; i++) {
		*array_push(&page->widths) = format_heading(page, i)->n;
		array_each(&page->event->rows, row)
			page->widths.at[i] = MAX(page->widths.at[i],
				format_cell(page, row, i)->n);
	}
}

static const char *diff_cell_colour(const struct page *page,
	const struct diff_row *row, const struct diff_column *column)
{
	static const char *const colours[] = {
		[DIFF_PLAIN] = "",
		[DIFF_NOISE] = "\033[2m",
		[DIFF_MORE] = "\033[31m",
		[DIFF_LESS] = "\033[32m",
	};

	return page->diff->options->has_colour
		? colours[diff_cell_look(page->diff, row, column)]
		: "";
}

/* Prints .cell, aligned in column I. */
static void put_aligned(struct page *page, size_t i, const char *colour)
{
	const struct strbuf *text = &page->cell;
	bool is_left = page->columns.at.at[i].is_left;
	bool is_last = i + 1 == page->columns.at.n;
	size_t blanks = page->widths.at[i] - text->n;

	strbuf_fill(page->out, ' ', is_left ? 0 : blanks);
	strbuf_puts(page->out, colour);
	strbuf_put(page->out, text->at, text->n);
	strbuf_puts(page->out, *colour ? "\033[m" : "");
	strbuf_fill(page->out, ' ', is_left && !is_last ? blanks : 0);
}

static void put_headings(struct page *page)
{
	size_t i;

	for (i = 0; i < page->columns.at.n; i++) {
		strbuf_puts(page->out, i ? "  " : "# ");
		format_heading(page, i);
		put_aligned(page, i, "");
	}
	strbuf_putc(page->out, '\n');
	for (i = 0; i < page->columns.at.n; i++) {
		strbuf_puts(page->out, i ? "  " : "# ");
		strbuf_fill(page->out, '.', page->widths.at[i]);
	}
	strbuf_puts(page->out, "\n#\n");
}

static void put_text_row(struct page *page, const struct diff_row *row)
{
	size_t i;

	for (i = 0; i < page->columns.at.n; i++) {
		strbuf_puts(page->out, "  ");
		format_cell(page, row, i);
		put_aligned(page, i,
			diff_cell_colour(page, row, &page->columns.at.at[i]));
	}
	strbuf_putc(page->out, '\n');
}

static void put_separated_cell(struct page *page, size_t i)
{
	const char *separator = page->diff->options->separator;

	strbuf_puts(page->out, i ? separator : "");
	stdio_separated_put_cell(page->cell.at, separator, page->out);
}

static void put_separated_rows(struct page *page)
{
	size_t i;

	strbuf_puts(page->out, "# ");
	for (i = 0; i < page->columns.at.n; i++) {
		format_heading(page, i);
		put_separated_cell(page, i);
	}
	strbuf_putc(page->out, '\n');
	array_each(&page->event->rows, row) {
		for (i = 0; i < page->columns.at.n; i++) {
			format_cell(page, row, i);
			put_separated_cell(page, i);
		}
		strbuf_putc(page->out, '\n');
		output_some(page->out);
	}
}

static void put_diff_title(const struct page *page)
{
	const struct diff *diff = page->diff;
	struct strbuf *out = page->out;
	size_t i;

	strbuf_puts(out, "# Event '");
	escape_text(out, page->event->name);
	strbuf_puts(out, "'\n#\n# Data files:\n");
	for (i = 0; i < diff->sides.n; i++) {
		const struct diff_total *total = &page->event->totals.at[i];

		strbuf_printf(out, "#  [%zu] ", i);
		escape_text(out, diff->sides.at[i].path);
		strbuf_printf(out,
			"%s: %" PRIu64 " samples, event count %" PRIu64,
			i ? "" : " (Baseline)", total->samples, total->period);
		if (diff->sides.at[i].lost)
			strbuf_printf(out, ", %" PRIu64 " samples lost",
				diff->sides.at[i].lost);
		if (diff->sides.at[i].damaged.places) {
			strbuf_puts(out, ", ");
			damaged_inputs_put_sums(
				&diff->sides.at[i].damaged, out);
		}
		if (diff->sides.at[i].seconds > 0)
			strbuf_printf(out, ", %.6f s",
				diff->sides.at[i].seconds);
		strbuf_putc(out, '\n');
	}
	strbuf_puts(out,
		"#\n# +/-: half the 95% confidence interval, if samples are "
		"independent\n"
		"# ~: noise: not significant, given the number of rows\n#\n");
}

void diff_text_put(const struct diff *diff, struct strbuf *out)
{
	struct page page = { .diff = diff, .out = out };

	diff_columns_make(diff, &page.columns);
	array_each(&diff->events, event) {
		page.event = event;
		put_diff_title(&page);
		if (diff->options->separator) {
			put_separated_rows(&page);
		} else {
			find_text_widths(&page);
			put_headings(&page);
			array_each(&event->rows, row) {
				put_text_row(&page, row);
				output_some(out);
			}
		}
		strbuf_puts(out, "\n\n");
	}
	array_free(&page.columns.at);
	array_free(&page.widths);
	strbuf_free(&page.cell);
}
