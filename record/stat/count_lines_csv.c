/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_lines.h"

#include "common/util/escape.h"

static void put_csv_value(const struct count_row *row, struct strbuf *out)
{
	if (row->state != COUNT_VALID)
		strbuf_puts(out, count_state_name(row->state));
	else
		strbuf_printf(out, "%.*f", count_row_digits(row),
			count_row_shown(row));
}

static void put_csv_prefix(const struct count_table *table,
	const struct count_row *row, const char *separator, struct strbuf *out)
{
	if (table->is_interval)
		strbuf_printf(out, "%16.9f%s", table->end_ns / 1e9, separator);
	if (!row->place)
		return;
	if (table->by == COUNT_BY_THREAD) {
		escape_text(out, row->place->name);
		strbuf_printf(out, "-%d%s", (int)row->place->tid, separator);
		return;
	}
	count_place_put(table->by, row->place, 0, out);
	strbuf_puts(out, separator);
	if (count_by_is_part(table->by))
		strbuf_printf(out, "%u%s", row->n_counted, separator);
}

/* Appends METRIC, or empty fields if it is NULL, and ends the line. */
static void put_csv_metric(
	const struct metric *metric, const char *separator, struct strbuf *out)
{
	strbuf_puts(out, separator);
	if (metric)
		strbuf_printf(out, "%.*f%s%s%s", metric->digits, metric->value,
			separator, metric->scale, metric->unit);
	else
		strbuf_puts(out, separator);
	strbuf_puts(out, "\n");
}

/* Appends the line of a second metric: the fields of the count are empty. */
static void put_second_csv_metric(const struct count_table *table,
	const struct count_row *row, const struct metric *metric,
	const char *separator, struct strbuf *out)
{
	unsigned i,
		n_separators = 4 + table->has_cgroups + table->has_deviation;

	put_csv_prefix(table, row, separator, out);
	for (i = 0; i < n_separators; i++)
		strbuf_puts(out, separator);
	put_csv_metric(metric, separator, out);
}

static void put_csv_row(const struct count_table *table, size_t index,
	const char *separator, struct strbuf *out)
{
	const struct count_row *row = &table->rows.at[index];
	struct metric metric;

	put_csv_prefix(table, row, separator, out);
	put_csv_value(row, out);
	strbuf_puts(out, separator);
	escape_text(out, count_row_unit(row));
	strbuf_puts(out, separator);
	escape_text(out, row->event->name);
	if (table->has_cgroups) {
		strbuf_puts(out, separator);
		escape_text(out, row->event->cgroup ?: "");
	}
	if (table->has_deviation)
		strbuf_printf(
			out, "%s%.2f%%", separator, row->deviation_percent);
	strbuf_printf(out, "%s%.0f%s%.2f", separator, row->running_ns,
		separator, count_row_share(row));
	put_csv_metric(
		count_table_metric(table, index, &metric) ? &metric : NULL,
		separator, out);
	if (count_table_second_metric(table, index, &metric))
		put_second_csv_metric(table, row, &metric, separator, out);
}

void count_lines_csv(const struct count_table *table, const char *separator,
	struct strbuf *out)
{
	_cleanup_free_ size_t *order = count_table_order(table);
	size_t i;

	for (i = 0; i < table->rows.n; i++)
		if (table->rows.at[order[i]].state != COUNT_ABSENT)
			put_csv_row(table, order[i], separator, out);
}
