/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_table.h"

#include <math.h>

#define CACHE_EVENT(cache, result)                                        \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
		PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define CACHE_RATIO(cache, unit)                                      \
	{                                                             \
		PERF_TYPE_HW_CACHE, CACHE_EVENT(cache, MISS),         \
			CACHE_EVENT(cache, ACCESS), 100, 2, "%", unit \
	}

/*
 * The events of a type whose count is shown as a share of another event's,
 * times .factor. Digits and sign are those of perf.
 */
static const struct ratio {
	uint32_t type;
	uint32_t config, base;
	double factor;
	int digits;
	const char *sign, *unit;
} ratios[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
		PERF_COUNT_HW_CPU_CYCLES, 1, 2, " ", "insn per cycle" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100, 2, "%",
		"of all branches" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
		PERF_COUNT_HW_CACHE_REFERENCES, 100, 3, " %",
		"of all cache refs" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
		PERF_COUNT_HW_CPU_CYCLES, 100, 2, "%", "frontend cycles idle" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		PERF_COUNT_HW_CPU_CYCLES, 100, 2, "%", "backend cycles idle" },
	CACHE_RATIO(L1D, "of all L1-dcache accesses"),
	CACHE_RATIO(L1I, "of all L1-icache accesses"),
	CACHE_RATIO(LL, "of all LL-cache accesses"),
	CACHE_RATIO(DTLB, "of all dTLB cache accesses"),
	CACHE_RATIO(ITLB, "of all iTLB cache accesses"),
};

static const char *const by_names[] = {
	[COUNT_BY_CPU] = "cpu",
	[COUNT_BY_CORE] = "core",
	[COUNT_BY_DIE] = "die",
	[COUNT_BY_SOCKET] = "socket",
	[COUNT_BY_NODE] = "node",
	[COUNT_BY_THREAD] = "thread",
};

void count_table_free(struct count_table *table)
{
	array_free(&table->rows);
}

static int compare_rows(const void *left, const void *right, void *data)
{
	const struct count_table *table = data;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	if (table->by == COUNT_BY_THREAD)
		return COMPARE(a / table->n_places, b / table->n_places)
		?: COMPARE(table->rows.at[b].value, table->rows.at[a].value)
		?: COMPARE(a, b);
	return count_by_is_part(table->by)
		? (COMPARE(a % table->n_places, b % table->n_places)
				  ?: COMPARE(a, b))
		: COMPARE(a, b);
}

size_t *count_table_order(const struct count_table *table)
{
	size_t *order = xcalloc(table->rows.n + 1, sizeof(*order));
	size_t i;

	for (i = 0; i < table->rows.n; i++)
		order[i] = i;
	qsort_r(order, table->rows.n, sizeof(*order), compare_rows,
		(void *)table);
	return order;
}

const char *count_by_name(enum count_by by)
{
	return by_names[by];
}

bool count_by_is_part(enum count_by by)
{
	return by >= COUNT_BY_CORE && by <= COUNT_BY_NODE;
}

void count_place_put(enum count_by by, const struct count_place *place,
	int width, struct strbuf *out)
{
	const struct topology_of_cpu *at = &place->at;

	switch (by) {
	case COUNT_BY_CORE:
		strbuf_printf(out, "S%d-D%d-C%-*d", at->socket, at->die, width,
			at->core);
		break;
	case COUNT_BY_DIE:
		strbuf_printf(out, "S%d-D%-*d", at->socket, width, at->die);
		break;
	case COUNT_BY_SOCKET:
		strbuf_printf(out, "S%-*d", width, at->socket);
		break;
	case COUNT_BY_NODE: strbuf_printf(out, "N%-*d", width, at->node); break;
	default: strbuf_printf(out, "CPU%-*d", width, at->cpu); break;
	}
}

const char *count_state_name(enum count_state state)
{
	switch (state) {
	case COUNT_NONE: return "<not counted>";
	case COUNT_UNSUPPORTED: return "<not supported>";
	default: return "";
	}
}

bool count_row_is_clock(const struct count_row *row)
{
	const struct perf_event_attr *attr = &row->event->attr;

	return attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_CPU_CLOCK ||
			attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static double scale_of(const struct count_row *row)
{
	if (count_row_is_clock(row))
		return 1 / (double)NSEC_PER_MSEC;
	return row->event->unit.scale > 0 ? row->event->unit.scale : 1;
}

double count_row_shown(const struct count_row *row)
{
	return row->value * scale_of(row);
}

const char *count_row_unit(const struct count_row *row)
{
	return count_row_is_clock(row) ? "msec" : row->event->unit.text;
}

int count_row_digits(const struct count_row *row)
{
	double scale = scale_of(row);

	return floor(scale) < scale ? 2 : 0;
}

double count_row_share(const struct count_row *row)
{
	return row->running_ns >= row->enabled_ns
		? 100
		: 100 * row->running_ns / row->enabled_ns;
}

/* The PMU of a hybrid machine is in the upper half of config. */
static bool is_config(const struct perf_event_attr *attr, uint32_t config)
{
	return (uint32_t)attr->config == config;
}

static bool is_same_cgroup(
	const struct selection_event *one, const struct selection_event *other)
{
	return string_is(one->cgroup ?: "", other->cgroup ?: "");
}

/*
 * Returns the count of the event CONFIG on the same PMU, at the same levels, in
 * the same control group and at the same place as the row with index INDEX, or
 * 0.
 */
static double count_beside(
	const struct count_table *table, size_t index, uint32_t config)
{
	const struct selection_event *event = table->rows.at[index].event;
	const struct perf_event_attr *attr = &event->attr;
	size_t i;

	for (i = index % table->n_places; i < table->rows.n;
		i += table->n_places) {
		const struct count_row *row = &table->rows.at[i];

		if (is_config(&row->event->attr, config) &&
			row->event->attr.type == attr->type &&
			row->event->attr.config >> 32 == attr->config >> 32 &&
			row->event->attr.exclude_user == attr->exclude_user &&
			row->event->attr.exclude_kernel ==
				attr->exclude_kernel &&
			is_same_cgroup(row->event, event))
			return row->value;
	}
	return 0;
}

/*
 * Returns the CPU time at the place and in the control group of row INDEX, in
 * ns; 0: not counted.
 */
static double counted_time(const struct count_table *table, size_t index)
{
	size_t i;

	for (i = index % table->n_places; i < table->rows.n;
		i += table->n_places)
		if (count_row_is_clock(&table->rows.at[i]) &&
			is_same_cgroup(table->rows.at[i].event,
				table->rows.at[index].event))
			return table->rows.at[i].value;
	return 0;
}

static bool find_ratio(
	const struct count_table *table, size_t index, struct count_metric *ret)
{
	const struct count_row *row = &table->rows.at[index];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ratios); i++) {
		const struct ratio *ratio = &ratios[i];
		double base;

		if (row->event->attr.type != ratio->type ||
			!is_config(&row->event->attr, ratio->config))
			continue;
		base = count_beside(table, index, ratio->base);
		if (!(base > 0))
			return false;
		*ret = (struct count_metric){
			.value = row->value / base * ratio->factor,
			.digits = ratio->digits,
			.sign = ratio->sign,
			.scale = "",
			.unit = ratio->unit,
		};
		return true;
	}
	return false;
}

bool count_table_metric(
	const struct count_table *table, size_t row, struct count_metric *ret)
{
	const struct count_row *counted = &table->rows.at[row];
	double time_ns = counted_time(table, row);

	if (counted->state != COUNT_VALID)
		return false;
	if (count_row_is_clock(counted)) {
		*ret = (struct count_metric){ counted->value /
				table->elapsed_ns,
			3, "", "", "CPUs utilized" };
		return table->elapsed_ns > 0;
	}
	if (find_ratio(table, row, ret))
		return true;
	if (!(time_ns > 0))
		return false;
	if (counted->event->attr.type == PERF_TYPE_HARDWARE &&
		is_config(&counted->event->attr, PERF_COUNT_HW_CPU_CYCLES)) {
		*ret = (struct count_metric){ counted->value / time_ns, 3, "",
			"", "GHz" };
		return true;
	}
	static const char *const scales[] = { "", "K", "M", "G" };
	double rate = count_row_shown(counted) * (double)NSEC_PER_SEC / time_ns;
	size_t i = 0;

	for (; rate > 1000 && i + 1 < ARRAY_SIZE(scales); i++)
		rate /= 1000;
	*ret = (struct count_metric){ rate, 3, "", scales[i], "/sec" };
	return true;
}

bool count_table_second_metric(
	const struct count_table *table, size_t row, struct count_metric *ret)
{
	const struct count_row *counted = &table->rows.at[row];
	double stalled = MAX(
		count_beside(table, row, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND),
		count_beside(table, row, PERF_COUNT_HW_STALLED_CYCLES_BACKEND));

	if (counted->state != COUNT_VALID || !(counted->value > 0) ||
		!(stalled > 0) ||
		counted->event->attr.type != PERF_TYPE_HARDWARE ||
		!is_config(&counted->event->attr, PERF_COUNT_HW_INSTRUCTIONS))
		return false;
	*ret = (struct count_metric){ stalled / counted->value, 2, " ", "",
		"stalled cycles per insn" };
	return true;
}
