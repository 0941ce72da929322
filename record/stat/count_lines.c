/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_lines.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/json.h"

/* Columns, as wide as those of perf stat. */
#define VALUE_WIDTH 18
#define UNIT_WIDTH 4u
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

static void put_value(const struct count_row *row, bool has_thousands,
	size_t unit_width, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_free_ char *number =
		xasprintf("%.*f", count_row_digits(row), count_row_shown(row));
	size_t start;

	if (row->state != COUNT_VALID)
		strbuf_puts(&text, count_state_name(row->state));
	else if (has_thousands) {
		/* "1234567.89" becomes "1,234,567.89". */
		const char *digits = number;
		size_t left = strspn(digits, "0123456789");

		for (; left; left--, digits++) {
			strbuf_putc(&text, *digits);
			if (left > 1 && left % 3 == 1)
				strbuf_putc(&text, ',');
		}
		strbuf_puts(&text, digits);
	} else {
		strbuf_puts(&text, number);
	}
	strbuf_printf(out, "%*s ", VALUE_WIDTH, text.at);
	start = out->n;
	escape_text(out, count_row_unit(row));
	pad_from(out, start, unit_width);
	strbuf_putc(out, ' ');
}

/*
 * Appends METRIC, or blanks if it is NULL. The points stand below each other.
 */
static void put_metric(const struct count_metric *metric, struct strbuf *out)
{
	size_t start = out->n;

	if (metric)
		strbuf_printf(out, " # %*.*f%s %s%s", metric->digits + 5,
			metric->digits, metric->value, metric->sign,
			metric->scale, metric->unit);
	pad_from(out, start, METRIC_WIDTH + 3);
}

/* Appends the time of the interval and the place of ROW. */
static void put_prefix(const struct count_table *table,
	const struct count_row *row, struct strbuf *out)
{
	static const int widths[] = {
		[COUNT_BY_CPU] = 7,
		[COUNT_BY_CORE] = 8,
		[COUNT_BY_DIE] = 8,
		[COUNT_BY_SOCKET] = 5,
		[COUNT_BY_NODE] = 5,
		[COUNT_BY_THREAD] = 0,
	};

	if (table->is_interval)
		strbuf_printf(out, "%16.9f ", table->end_ns / 1e9);
	if (!row->place)
		return;
	if (table->by == COUNT_BY_THREAD) {
		const struct count_place *thread = row->place;
		size_t start = out->n;

		if (strlen(thread->name) < COMM_WIDTH)
			strbuf_fill(
				out, ' ', COMM_WIDTH - strlen(thread->name));
		escape_text(out, thread->name);
		strbuf_printf(out, "-%d", (int)thread->tid);
		pad_from(out, start, COMM_WIDTH + TID_WIDTH + 1);
		strbuf_putc(out, ' ');
		return;
	}
	count_place_put(table->by, row->place, widths[table->by], out);
	strbuf_putc(out, ' ');
	if (count_by_is_part(table->by))
		strbuf_printf(out, "%4u ", row->n_counted);
}

static size_t find_unit_width(const struct count_table *table)
{
	size_t width = UNIT_WIDTH;

	array_each(&table->rows, row)
		width = MAX(width, strlen(count_row_unit(row)));
	return width;
}

void count_lines_text(
	const struct count_table *table, bool has_thousands, struct strbuf *out)
{
	_cleanup_free_ size_t *order = count_table_order(table);
	size_t i, unit_width = find_unit_width(table);

	for (i = 0; i < table->rows.n; i++)
		if (table->rows.at[order[i]].state != COUNT_ABSENT) {
			size_t row = order[i];
			const struct count_row *counted = &table->rows.at[row];
			struct count_metric metric;
			size_t start;

			put_prefix(table, counted, out);
			put_value(counted, has_thousands, unit_width, out);
			start = out->n;
			escape_text(out, counted->event->name);
			pad_from(out, start, NAME_WIDTH);
			if (counted->event->cgroup) {
				strbuf_putc(out, ' ');
				escape_text(out, counted->event->cgroup);
			}
			put_metric(count_table_metric(table, row, &metric)
					? &metric
					: NULL,
				out);
			/* The second metric has a line of its own. */
			if (count_table_second_metric(table, row, &metric)) {
				trim_blanks(out);
				strbuf_puts(out, "\n");
				put_prefix(table, &table->rows.at[row], out);
				strbuf_fill(out, ' ',
					VALUE_WIDTH + 1 + unit_width + 1 +
						NAME_WIDTH);
				put_metric(&metric, out);
			}
			if (table->has_deviation &&
				counted->deviation_percent > 0)
				strbuf_printf(out, "  ( +-%6.2f%% )",
					counted->deviation_percent);
			if (counted->state == COUNT_VALID &&
				count_row_share(counted) < 100)
				strbuf_printf(out, "  (%.2f%%)",
					count_row_share(counted));
			trim_blanks(out);
			strbuf_puts(out, "\n");
		}
}

void count_lines_header(const struct count_table *table, struct strbuf *out)
{
	static const char *const places[] = {
		[COUNT_BY_ALL] = "",
		[COUNT_BY_CPU] = "CPU        ",
		[COUNT_BY_CORE] = "core            cpus ",
		[COUNT_BY_DIE] = "die          cpus ",
		[COUNT_BY_SOCKET] = "socket cpus ",
		[COUNT_BY_NODE] = "node   cpus ",
		[COUNT_BY_THREAD] = "            comm-pid      ",
	};

	strbuf_printf(out, "#           time %s            counts %*s events\n",
		places[table->by], (int)find_unit_width(table), "unit");
}

static void put_csv_prefix(const struct count_table *table,
	const struct count_row *row, const char *separator, struct strbuf *out)
{
	if (table->is_interval)
		strbuf_printf(out, "%16.9f%s", table->end_ns / 1e9, separator);
	if (!row->place)
		return;
	if (table->by == COUNT_BY_THREAD) {
		_cleanup_free_ char *thread = xasprintf(
			"%s-%d", row->place->name, (int)row->place->tid);

		escape_csv_field(out, thread, separator);
		strbuf_puts(out, separator);
		return;
	}
	count_place_put(table->by, row->place, 0, out);
	strbuf_puts(out, separator);
	if (count_by_is_part(table->by))
		strbuf_printf(out, "%u%s", row->n_counted, separator);
}

/* Appends METRIC, or empty fields if it is NULL, and ends the line. */
static void put_csv_metric(const struct count_metric *metric,
	const char *separator, struct strbuf *out)
{
	_cleanup_free_ char *unit =
		metric ? xasprintf("%s%s", metric->scale, metric->unit) : NULL;

	strbuf_puts(out, separator);
	if (metric)
		strbuf_printf(out, "%.*f", metric->digits, metric->value);
	strbuf_puts(out, separator);
	escape_csv_field(out, unit ?: "", separator);
	strbuf_puts(out, "\n");
}

static void put_csv_row(const struct count_table *table, size_t index,
	const char *separator, struct strbuf *out)
{
	const struct count_row *row = &table->rows.at[index];
	struct count_metric metric;

	put_csv_prefix(table, row, separator, out);
	if (row->state != COUNT_VALID)
		strbuf_puts(out, count_state_name(row->state));
	else
		strbuf_printf(out, "%.*f", count_row_digits(row),
			count_row_shown(row));
	strbuf_puts(out, separator);
	escape_csv_field(out, count_row_unit(row), separator);
	strbuf_puts(out, separator);
	escape_csv_field(out, row->event->name, separator);
	if (table->has_cgroups) {
		strbuf_puts(out, separator);
		escape_csv_field(out, row->event->cgroup ?: "", separator);
	}
	if (table->has_deviation)
		strbuf_printf(
			out, "%s%.2f%%", separator, row->deviation_percent);
	strbuf_printf(out, "%s%.0f%s%.2f", separator, row->running_ns,
		separator, count_row_share(row));
	put_csv_metric(
		count_table_metric(table, index, &metric) ? &metric : NULL,
		separator, out);
	if (count_table_second_metric(table, index, &metric)) {
		/*
		 * Append the line of a second metric: the fields of the count
		 * are empty.
		 */
		unsigned i,
			n_separators =
				4 + table->has_cgroups + table->has_deviation;

		put_csv_prefix(table, row, separator, out);
		for (i = 0; i < n_separators; i++)
			strbuf_puts(out, separator);
		put_csv_metric(&metric, separator, out);
	}
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

/* Begins the object of a row: its time and its place. */
static void begin_json_row(const struct count_table *table,
	const struct count_row *row, struct json *json)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	const struct count_place *place = row->place;

	json_begin_object(json, NULL);
	if (table->is_interval)
		json_fixed(json, "interval", table->end_ns / 1e9, 9);
	if (!place)
		return;
	if (table->by == COUNT_BY_THREAD)
		strbuf_printf(&name, "%s-%d", place->name, (int)place->tid);
	else if (table->by == COUNT_BY_CPU)
		strbuf_printf(&name, "%d", place->at.cpu);
	else
		count_place_put(table->by, place, 0, &name);
	json_string(json, count_by_name(table->by), name.at);
	if (count_by_is_part(table->by))
		json_fixed(json, "aggregate-number", row->n_counted, 0);
}

/* Appends METRIC, and ends the object and the line. */
static void end_json_row(const struct count_metric *metric, struct json *json)
{
	_cleanup_free_ char *unit =
		xasprintf("%s%s", metric->scale, metric->unit);

	json_fixed(json, "metric-value", metric->value, 6);
	json_string(json, "metric-unit", unit);
	json_end_object(json);
	strbuf_puts(json->out, "\n");
}

void count_lines_json(const struct count_table *table, struct strbuf *out)
{
	_cleanup_free_ size_t *order = count_table_order(table);
	size_t i;

	for (i = 0; i < table->rows.n; i++)
		if (table->rows.at[order[i]].state != COUNT_ABSENT) {
			size_t index = order[i];

			static const struct count_metric no_metric = {
				.scale = "", .unit = ""
			};
			const struct count_row *row = &table->rows.at[index];
			struct json json = { .out = out },
				    second = { .out = out };
			struct count_metric metric;

			begin_json_row(table, row, &json);
			/*
			 * A count is a string, as in perf, because it can also be "<not
			 * counted>".
			 */
			_cleanup_free_ char *value = row->state == COUNT_VALID
				? xasprintf("%f", count_row_shown(row))
				: xstrdup(count_state_name(row->state));

			json_string(&json, "counter-value", value);
			json_string(&json, "unit", count_row_unit(row));
			json_string(&json, "event", row->event->name);
			if (table->has_cgroups)
				json_string(&json, "cgroup",
					row->event->cgroup ?: "");
			if (table->has_deviation)
				json_fixed(&json, "variance",
					row->deviation_percent, 2);
			json_fixed(&json, "event-runtime", row->running_ns, 0);
			json_fixed(
				&json, "pcnt-running", count_row_share(row), 2);
			end_json_row(count_table_metric(table, index, &metric)
					? &metric
					: &no_metric,
				&json);
			if (count_table_second_metric(table, index, &metric)) {
				begin_json_row(table, row, &second);
				end_json_row(&metric, &second);
			}
		}
}
