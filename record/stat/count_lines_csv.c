/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_lines.h"

#include "common/util/escape.h"

static void put_csv_value(const struct count_row *row, struct strbuf *out)
{
	if (row->state != COUNT_VALID)
		strbuf_puts(out, count_state_name(row->state));
	else
		strbuf_printf(out, "%.*f", count_row_is_clock(row) ? 2 : 0,
			count_row_shown(row));
}

static void put_csv_prefix(const struct count_table *table,
	const struct count_place *place, const char *separator,
	struct strbuf *out)
{
	if (table->is_interval)
		strbuf_printf(out, "%16.9f%s", table->end_ns / 1e9, separator);
	if (!place)
		return;
	if (place->cpu >= 0) {
		strbuf_printf(out, "CPU%d%s", place->cpu, separator);
		return;
	}
	escape_text(out, place->name);
	strbuf_printf(out, "-%d%s", (int)place->tid, separator);
}

static void put_csv_metric(const struct count_table *table, size_t row,
	const char *separator, struct strbuf *out)
{
	struct metric metric;

	strbuf_puts(out, separator);
	if (!count_table_metric(table, row, &metric)) {
		strbuf_puts(out, separator);
		return;
	}
	strbuf_printf(out, "%.*f%s%s%s", metric.digits, metric.value, separator,
		metric.scale, metric.unit);
}

void count_lines_csv(const struct count_table *table, const char *separator,
	struct strbuf *out)
{
	size_t i;

	for (i = 0; i < table->rows.n; i++) {
		const struct count_row *row = &table->rows.at[i];

		if (row->state == COUNT_ABSENT)
			continue;
		put_csv_prefix(table, row->place, separator, out);
		put_csv_value(row, out);
		strbuf_printf(out, "%s%s%s", separator, count_row_unit(row),
			separator);
		escape_text(out, row->event->name);
		if (table->has_deviation)
			strbuf_printf(out, "%s%.2f%%", separator,
				row->deviation_percent);
		strbuf_printf(out, "%s%.0f%s%.2f", separator, row->running_ns,
			separator, count_row_share(row));
		put_csv_metric(table, i, separator, out);
		strbuf_puts(out, "\n");
	}
}
