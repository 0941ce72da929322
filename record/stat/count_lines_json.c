/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_lines.h"

#include "common/util/json.h"

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

/* A count is a string, as in perf, because it can also be "<not counted>". */
static void put_json_value(const struct count_row *row, struct json *json)
{
	_cleanup_free_ char *value = row->state == COUNT_VALID
		? xasprintf("%f", count_row_shown(row))
		: xstrdup(count_state_name(row->state));

	json_string(json, "counter-value", value);
}

/* Appends METRIC, and ends the object and the line. */
static void end_json_row(const struct metric *metric, struct json *json)
{
	_cleanup_free_ char *unit =
		xasprintf("%s%s", metric->scale, metric->unit);

	json_fixed(json, "metric-value", metric->value, 6);
	json_string(json, "metric-unit", unit);
	json_end_object(json);
	strbuf_puts(json->out, "\n");
}

static void put_json_count(
	const struct count_table *table, size_t index, struct strbuf *out)
{
	static const struct metric no_metric = { .scale = "", .unit = "" };
	const struct count_row *row = &table->rows.at[index];
	struct json json = { .out = out }, second = { .out = out };
	struct metric metric;

	begin_json_row(table, row, &json);
	put_json_value(row, &json);
	json_string(&json, "unit", count_row_unit(row));
	json_string(&json, "event", row->event->name);
	if (table->has_cgroups)
		json_string(&json, "cgroup", row->event->cgroup ?: "");
	if (table->has_deviation)
		json_fixed(&json, "variance", row->deviation_percent, 2);
	json_fixed(&json, "event-runtime", row->running_ns, 0);
	json_fixed(&json, "pcnt-running", count_row_share(row), 2);
	end_json_row(count_table_metric(table, index, &metric) ? &metric
							       : &no_metric,
		&json);
	if (!count_table_second_metric(table, index, &metric))
		return;
	begin_json_row(table, row, &second);
	end_json_row(&metric, &second);
}

void count_lines_json(const struct count_table *table, struct strbuf *out)
{
	_cleanup_free_ size_t *order = count_table_order(table);
	size_t i;

	for (i = 0; i < table->rows.n; i++)
		if (table->rows.at[order[i]].state != COUNT_ABSENT)
			put_json_count(table, order[i], out);
}
