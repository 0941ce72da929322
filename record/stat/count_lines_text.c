/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_lines.h"

#include "common/util/escape.h"

/* Columns, as wide as those of perf stat. */
#define VALUE_WIDTH 18
#define UNIT_WIDTH 4
#define NAME_WIDTH 32u
#define METRIC_WIDTH 32u
#define COMM_WIDTH 16u
#define TID_WIDTH 8u

/* Fills OUT with blanks up to WIDTH bytes after START. */
static void pad_from(struct strbuf *out, size_t start, size_t width)
{
	if (out->n - start < width)
		strbuf_fill(out, ' ', width - (out->n - start));
}

static void trim_blanks(struct strbuf *out)
{
	while (out->n && out->at[out->n - 1] == ' ')
		out->at[--out->n] = '\0';
}

/* Appends the digits at NUMBER ("1234567.89") as "1,234,567.89". */
static void put_with_thousands(const char *number, struct strbuf *out)
{
	size_t left = strspn(number, "0123456789");

	for (; left; left--, number++) {
		strbuf_putc(out, *number);
		if (left > 1 && left % 3 == 1)
			strbuf_putc(out, ',');
	}
	strbuf_puts(out, number);
}

static void put_value(
	const struct count_row *row, bool has_thousands, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_free_ char *number = xasprintf(
		"%.*f", count_row_is_clock(row) ? 2 : 0, count_row_shown(row));

	if (row->state != COUNT_VALID)
		strbuf_puts(&text, count_state_name(row->state));
	else if (has_thousands)
		put_with_thousands(number, &text);
	else
		strbuf_puts(&text, number);
	strbuf_printf(out, "%*s %-*s ", VALUE_WIDTH, text.at, UNIT_WIDTH,
		count_row_unit(row));
}

static void put_metric(
	const struct count_table *table, size_t row, struct strbuf *out)
{
	struct metric metric;
	size_t start = out->n;

	if (count_table_metric(table, row, &metric))
		strbuf_printf(out, " # %8.*f%s %s%s", metric.digits,
			metric.value, metric.is_percent ? "%" : "",
			metric.scale, metric.unit);
	pad_from(out, start, METRIC_WIDTH + 3);
}

/* Appends the time of the interval and the place. */
static void put_prefix(const struct count_table *table,
	const struct count_place *place, struct strbuf *out)
{
	size_t start;

	if (table->is_interval)
		strbuf_printf(out, "%16.9f ", table->end_ns / 1e9);
	if (!place)
		return;
	if (place->cpu >= 0) {
		strbuf_printf(out, "CPU%-7d ", place->cpu);
		return;
	}
	start = out->n;
	if (strlen(place->name) < COMM_WIDTH)
		strbuf_fill(out, ' ', COMM_WIDTH - strlen(place->name));
	escape_text(out, place->name);
	strbuf_printf(out, "-%d", (int)place->tid);
	pad_from(out, start, COMM_WIDTH + TID_WIDTH + 1);
	strbuf_putc(out, ' ');
}

static void put_row(const struct count_table *table, size_t row,
	bool has_thousands, struct strbuf *out)
{
	const struct count_row *counted = &table->rows.at[row];
	size_t start;

	put_prefix(table, counted->place, out);
	put_value(counted, has_thousands, out);
	start = out->n;
	escape_text(out, counted->event->name);
	pad_from(out, start, NAME_WIDTH);
	put_metric(table, row, out);
	if (table->has_deviation && counted->deviation_percent > 0)
		strbuf_printf(
			out, "  ( +-%6.2f%% )", counted->deviation_percent);
	if (counted->state == COUNT_VALID && count_row_share(counted) < 100)
		strbuf_printf(out, "  (%.2f%%)", count_row_share(counted));
	trim_blanks(out);
	strbuf_puts(out, "\n");
}

void count_lines_text(
	const struct count_table *table, bool has_thousands, struct strbuf *out)
{
	size_t row;

	for (row = 0; row < table->rows.n; row++)
		if (table->rows.at[row].state != COUNT_ABSENT)
			put_row(table, row, has_thousands, out);
}

void count_lines_header(const struct count_table *table, struct strbuf *out)
{
	const struct count_place *place =
		table->rows.n ? table->rows.at[0].place : NULL;

	strbuf_printf(out,
		"#           time %s            counts unit events\n",
		!place			  ? ""
			: place->cpu >= 0 ? "CPU        "
					  : "            comm-pid      ");
}
