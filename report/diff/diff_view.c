/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a comparison: as a text table in the layout of perf diff, or as JSON
 * or CSV, which dwell-diff(1) documents.
 */
#include "config.h"

#include "report/diff/diff_view.h"

#include <inttypes.h>
#include <math.h>

#include "common/util/escape.h"
#include "common/util/json.h"
#include "report/diff/diff_cell.h"
#include "report/diff/diff_whole.h"
#include "report/scan/missing_samples.h"
#include "report/util/output.h"
#include "report/view/stdio_cell.h"

/* --- text ---------------------------------------------------------------- */

struct diff_page {
	const struct diff *diff;
	const struct diff_event *event;
	struct diff_columns columns;
	ARRAY(size_t) widths; /* by column */
	struct strbuf cell;   /* text of the current cell */
	struct strbuf *out;
};

static const struct strbuf *format_heading(
	struct diff_page *page, size_t column)
{
	strbuf_clear(&page->cell);
	strbuf_puts(&page->cell, "");
	diff_column_head(page->diff, &page->columns.at.at[column], &page->cell);
	return &page->cell;
}

static const struct strbuf *format_cell(
	struct diff_page *page, const struct diff_row *row, size_t column)
{
	strbuf_clear(&page->cell);
	strbuf_puts(&page->cell, "");
	diff_cell_put(page->diff, page->event, row,
		&page->columns.at.at[column], &page->cell);
	return &page->cell;
}

/*
 * Computes the column widths. The texts of cells are formatted here and again
 * for printing, instead of stored, because there can be many rows.
 */
static void find_text_widths(struct diff_page *page)
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

/* Prints .cell, aligned in column I. */
static void put_aligned(struct diff_page *page, size_t i, const char *colour)
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

static void put_text_row(struct diff_page *page, const struct diff_row *row)
{
	static const char *const colours[] = {
		[DIFF_PLAIN] = "",
		[DIFF_NOISE] = "\033[2m",
		[DIFF_MORE] = "\033[31m",
		[DIFF_LESS] = "\033[32m",
	};
	size_t i;

	for (i = 0; i < page->columns.at.n; i++) {
		strbuf_puts(page->out, "  ");
		format_cell(page, row, i);
		put_aligned(page, i,
			page->diff->options->output.has_colour
				? colours[diff_cell_look(page->diff, row,
					  &page->columns.at.at[i])]
				: "");
	}
	strbuf_putc(page->out, '\n');
}

static void put_separated_cell(struct diff_page *page, size_t i)
{
	const char *separator = page->diff->options->rows.separator;

	strbuf_puts(page->out, i ? separator : "");
	stdio_separated_put_cell(page->cell.at, separator, page->out);
}

static void put_separated_rows(struct diff_page *page)
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

static void put_diff_title(const struct diff_page *page)
{
	const struct diff *diff = page->diff;
	struct strbuf *out = page->out;
	size_t i;

	strbuf_puts(out, "# Event '");
	escape_text(out, page->event->name);
	strbuf_puts(out, "'\n#\n");
	/* Print the change of the event as a whole, in each recording. */
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t side;

	for (side = 1; side < diff->sides.n; side++) {
		strbuf_clear(&text);
		diff_whole_put(diff, page->event, side, &text);
		if (!text.n)
			continue;
		strbuf_puts(page->out, "# ");
		if (diff->sides.n > 2)
			strbuf_printf(page->out, "[%zu] ", side);
		strbuf_printf(page->out, "%s\n#\n", text.at);
	}
	strbuf_puts(out, "# Data files:\n");
	for (i = 0; i < diff->sides.n; i++) {
		const struct diff_total *total = &page->event->totals.at[i];

		strbuf_printf(out, "#  [%zu] ", i);
		escape_text(out, diff->sides.at[i].path);
		strbuf_printf(out, "%s: %" PRIu64 " samples, %s ",
			i ? "" : " (Baseline)", total->samples,
			diff->options->time.counted ? "total time"
						    : "event count");
		stdio_period_text(diff->options, total->period, out);
		if (diff->sides.at[i].lost)
			strbuf_printf(out, ", %" PRIu64 " samples lost",
				diff->sides.at[i].lost);
		if (diff->sides.at[i].damaged.places) {
			strbuf_puts(out, ", ");
			missing_damage_put_sums(
				&diff->sides.at[i].damaged, out);
		}
		if (diff->sides.at[i].seconds > 0)
			strbuf_printf(
				out, ", %.6f s", diff->sides.at[i].seconds);
		strbuf_putc(out, '\n');
	}
	strbuf_puts(out,
		"#\n# +/-: half the 95% confidence interval, if samples are "
		"independent\n"
		"# ~: noise: not significant, given the number of rows\n"
		"# gone: only in the baseline; new: not in the baseline\n#\n");
}

void diff_text_put(const struct diff *diff, struct strbuf *out)
{
	struct diff_page page = { .diff = diff, .out = out };

	diff_columns_make(diff, &page.columns);
	array_each(&diff->events, event) {
		page.event = event;
		put_diff_title(&page);
		if (diff->options->rows.separator) {
			put_separated_rows(&page);
		} else {
			find_text_widths(&page);
			_cleanup_strbuf_ struct strbuf dots = { 0 };
			size_t i;

			for (i = 0; i < page.columns.at.n; i++) {
				strbuf_puts(page.out, i ? "  " : "# ");
				format_heading(&page, i);
				put_aligned(&page, i, "");
			}
			strbuf_putc(page.out, '\n');
			for (i = 0; i < page.columns.at.n; i++) {
				bool is_last = i + 1 == page.columns.at.n;
				size_t width = page.widths.at[i];

				strbuf_puts(&dots, i ? "  " : "# ");
				strbuf_fill(&dots, '.',
					is_last ? stdio_underline_width(
							  dots.n, width)
						: width);
			}
			strbuf_put(page.out, dots.at, dots.n);
			strbuf_puts(page.out, "\n#\n");
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

/* --- JSON ---------------------------------------------------------------- */

#define SHAPE_VERSION 1

static const char *const measures[] = {
	[STYLE_DIFF_SHARE] = "share",
	[STYLE_DIFF_PERIOD] = "period",
	[STYLE_DIFF_RATE] = "rate",
};

static void put_json_row(
	const struct diff *diff, const struct diff_row *row, struct json *json)
{
	size_t i;

	json_begin_object(json, NULL);
	for (i = 0; i < diff->keys.n; i++) {
		const char *text = diff_key_text(diff, row, i);
		const char *name = diff->keys.at[i].name;
		long long number;
		char *end;

		if (!diff->keys.at[i].is_number) {
			json_string(json, name, text);
			continue;
		}
		number = strtoll(text, &end, 10);
		if (end == text)
			json_null(json, name);
		else
			json_signed(json, name, number);
	}
	json_begin_array(json, "cells");
	for (i = 0; i < diff->sides.n; i++) {
		const struct diff_cell *cell = &row->cells[i];

		json_begin_object(json, NULL);
		json_unsigned(json, "samples", cell->samples);
		json_unsigned(json, "period", cell->period);
		json_double(json, "share", cell->share);
		json_double(json, "value", cell->value);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "changes");
	json_null(json, NULL);
	for (i = 1; i < diff->sides.n; i++) {
		const struct diff_change *change = &row->changes[i];

		if (!change->is_known) {
			json_null(json, NULL);
			continue;
		}
		json_begin_object(json, NULL);
		json_string(json, "change", diff_verdict(diff, change));
		json_double(json, "delta", change->delta);
		json_double(json, "delta_error", change->delta_error);
		json_double(json, "ratio", change->ratio);
		json_double(json, "ratio_error", change->ratio_error);
		json_double(json, "wdiff", change->wdiff);
		json_double(json, "wdiff_error", change->wdiff_error);
		json_double(json, "p", change->p);
		json_bool(json, "noise", change->is_noise);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}

static void put_json_event(const struct diff *diff,
	const struct diff_event *event, struct json *json)
{
	size_t i;

	json_begin_object(json, NULL);
	json_string(json, "event", event->name);
	json_begin_array(json, "totals");
	for (i = 0; i < event->totals.n; i++) {
		json_begin_object(json, NULL);
		json_unsigned(json, "samples", event->totals.at[i].samples);
		json_unsigned(json, "period", event->totals.at[i].period);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "changes");
	json_null(json, NULL);
	for (i = 1; i < event->totals.n; i++) {
		struct diff_whole whole = diff_whole_find(diff, event, i);

		if (!whole.is_known) {
			json_null(json, NULL);
			continue;
		}
		json_begin_object(json, NULL);
		json_double(json, "base_value", whole.values[0]);
		json_double(json, "value", whole.values[1]);
		json_double(json, "percent", whole.percent);
		json_double(json, "percent_error", whole.percent_error);
		json_bool(json, "noise", whole.is_noise);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "rows");
	array_each(&event->rows, row) {
		json_line(json, "\n    ");
		put_json_row(diff, row, json);
		output_some(json->out);
	}
	json_end_array(json);
	json_end_object(json);
}

void diff_json_put(const struct diff *diff, struct strbuf *out)
{
	const struct style_diff *style = &diff->style;
	struct json json = { .out = out };

	json_begin_object(&json, NULL);
	json_unsigned(&json, "version", SHAPE_VERSION);
	json_string(&json, "compute", style_diff_compute_name(style->compute));
	json_string(&json, "measure", measures[style->measure]);
	json_begin_array(&json, "weights");
	json_unsigned(&json, NULL, style->weights[0]);
	json_unsigned(&json, NULL, style->weights[1]);
	json_end_array(&json);
	json_begin_array(&json, "recordings");
	array_each(&diff->sides, side) {
		json_begin_object(&json, NULL);
		json_string(&json, "file", side->path);
		json_unsigned(&json, "lost", side->lost);
		if (side->damaged.places) {
			json_unsigned(
				&json, "damaged_places", side->damaged.places);
			json_unsigned(&json, "missing_samples",
				side->damaged.samples);
		}
		if (side->seconds > 0)
			json_double(&json, "seconds", side->seconds);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_begin_array(&json, "events");
	array_each(&diff->events, event) {
		json_line(&json, "\n  ");
		put_json_event(diff, event, &json);
	}
	json_end_array(&json);
	json_end_object(&json);
	strbuf_putc(out, '\n');
}

/* --- CSV ----------------------------------------------------------------- */

static void put_csv_number(double value, struct strbuf *out)
{
	strbuf_putc(out, ',');
	if (isfinite(value))
		strbuf_printf(out, "%.9g", value);
}

static void put_csv_cell(const struct diff_cell *cell, struct strbuf *out)
{
	strbuf_printf(
		out, ",%" PRIu64 ",%" PRIu64, cell->samples, cell->period);
	put_csv_number(cell->share, out);
	put_csv_number(cell->value, out);
}

static void put_csv_change(const struct diff *diff,
	const struct diff_event *event, const struct diff_row *row, size_t side,
	struct strbuf *out)
{
	const struct diff_change *change = &row->changes[side];
	size_t i;

	escape_csv(out, event->name);
	strbuf_putc(out, ',');
	escape_csv(out, diff->sides.at[side].path);
	put_csv_cell(&row->cells[0], out);
	put_csv_cell(&row->cells[side], out);
	put_csv_number(change->delta, out);
	put_csv_number(change->delta_error, out);
	put_csv_number(change->ratio, out);
	put_csv_number(change->ratio_error, out);
	put_csv_number(change->wdiff, out);
	put_csv_number(change->wdiff_error, out);
	put_csv_number(change->p, out);
	strbuf_printf(out, ",%s", diff_verdict(diff, change));
	for (i = 0; i < diff->keys.n; i++) {
		strbuf_putc(out, ',');
		escape_csv(out, diff_key_text(diff, row, i));
	}
	struct diff_whole whole = diff_whole_find(diff, event, side);

	if (whole.is_known) {
		put_csv_number(whole.values[0], out);
		put_csv_number(whole.values[1], out);
		put_csv_number(whole.percent, out);
		put_csv_number(whole.percent_error, out);
		strbuf_printf(out, ",%d", whole.is_noise);
	} else {
		strbuf_puts(out, ",,,,,");
	}
	strbuf_putc(out, '\n');
}

void diff_csv_put(const struct diff *diff, struct strbuf *out)
{
	size_t i;

	strbuf_puts(out,
		"event,file,base_samples,base_period,base_share,"
		"base_value,samples,period,share,value,delta,"
		"delta_error,ratio,ratio_error,wdiff,wdiff_error,p,"
		"change");
	for (i = 0; i < diff->keys.n; i++)
		strbuf_printf(out, ",%s", diff->keys.at[i].name);
	strbuf_puts(out,
		",base_whole,whole,whole_percent,whole_error,whole_noise\n");
	array_each(&diff->events, event)
		array_each(&event->rows, row) {
			for (i = 1; i < diff->sides.n; i++)
				if (row->changes[i].is_known)
					put_csv_change(
						diff, event, row, i, out);
			output_some(out);
		}
}
