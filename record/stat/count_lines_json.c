/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_lines.h"

#include "common/util/json.h"

static void put_json_place(const struct count_place *place, struct json *json)
{
	_cleanup_free_ char *name = place->cpu >= 0
		? xasprintf("%d", place->cpu)
		: xasprintf("%s-%d", place->name, (int)place->tid);

	json_string(json, place->cpu >= 0 ? "cpu" : "thread", name);
}

/* A count is a string, as in perf, because it can also be "<not counted>". */
static void put_json_value(const struct count_row *row, struct json *json)
{
	_cleanup_free_ char *value = row->state == COUNT_VALID
		? xasprintf("%f", count_row_shown(row))
		: xstrdup(count_state_name(row->state));

	json_string(json, "counter-value", value);
}

static void put_json_metric(
	const struct count_table *table, size_t row, struct json *json)
{
	struct metric metric = { .scale = "", .unit = "" };
	_cleanup_free_ char *unit = NULL;

	if (!count_table_metric(table, row, &metric))
		metric = (struct metric){ .scale = "", .unit = "" };
	unit = xasprintf("%s%s", metric.scale, metric.unit);
	json_fixed(json, "metric-value", metric.value, 6);
	json_string(json, "metric-unit", unit);
}

void count_lines_json(const struct count_table *table, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < table->rows.n; i++) {
		const struct count_row *row = &table->rows.at[i];
		struct json json = { .out = out };

		if (row->state == COUNT_ABSENT)
			continue;
		json_begin_object(&json, NULL);
		if (table->is_interval)
			json_fixed(&json, "interval", table->end_ns / 1e9, 9);
		if (row->place)
			put_json_place(row->place, &json);
		put_json_value(row, &json);
		json_string(&json, "unit", count_row_unit(row));
		json_string(&json, "event", row->event->name);
		if (table->has_deviation)
			json_fixed(
				&json, "variance", row->deviation_percent, 2);
		json_fixed(&json, "event-runtime", row->running_ns, 0);
		json_fixed(&json, "pcnt-running", count_row_share(row), 2);
		put_json_metric(table, i, &json);
		json_end_object(&json);
		strbuf_puts(out, "\n");
	}
}
