/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_data.h"

#include "common/perf/attr.h"
#include "report/html/html_bytes.h"
#include "report/html/html_facts.h"

#define PART_SIZE KIB(64)

struct writing {
	const struct html_data *data;
	struct deflate *out;
	struct strbuf part;
};

static void put_part(struct writing *writing)
{
	if (writing->part.n < PART_SIZE)
		return;
	deflate_put(writing->out, writing->part.at, writing->part.n);
	strbuf_clear(&writing->part);
}

static void put_number(struct writing *writing, uint64_t number)
{
	html_put_number(&writing->part, number);
	put_part(writing);
}

static void put_text(struct writing *writing, const char *text)
{
	html_put_text(&writing->part, text);
	put_part(writing);
}

static void put_facts(struct writing *writing)
{
	const struct html_data *data = writing->data;

	html_facts_put(data->results, data->n_results, data->flame,
		&writing->part);
}

/* --- where and when ------------------------------------------------------- */

/* Slices begin where bins do. */
static uint64_t first_bin(const struct html_data *data)
{
	return data->slices->first / data->moments->bin_ns;
}

static void put_times(struct writing *writing)
{
	const struct html_data *data = writing->data;
	const struct moments *moments = data->moments;
	bool has_times = moments && data->slices->length;

	put_number(writing, has_times ? data->slices->first : 0);
	put_number(writing, has_times ? moments->bin_ns : 0);
	put_number(
		writing, has_times ? moments->last - first_bin(data) + 1 : 0);
	put_number(writing,
		has_times ? data->slices->length / moments->bin_ns : 0);
}

static void put_functions(struct writing *writing)
{
	const struct flame *flame = writing->data->flame;

	put_number(writing, flame->functions.n);
	array_each(&flame->functions, function) {
		put_text(writing, function->name);
		put_text(writing, function->dso);
		put_number(writing, (uint8_t)function->level);
	}
}

/* The depth of a node is one more than its parent's. */
static void put_nodes(struct writing *writing)
{
	const struct flame *flame = writing->data->flame;
	uint32_t *depths = xcalloc(flame->nodes.n + 1, sizeof(*depths));
	size_t i;

	put_number(writing, flame->nodes.n);
	for (i = 0; i < flame->nodes.n; i++) {
		const struct flame_node *node = &flame->nodes.at[i];

		depths[i] = i ? depths[node->parent] + 1 : 0;
		put_number(writing, i ? depths[i - 1] + 1 - depths[i] : 0);
		put_number(writing,
			(uint64_t)node->function << 1 | node->is_inlined);
	}
	free(depths);
}

static void put_tasks(struct writing *writing)
{
	const struct flame *flame = writing->data->flame;

	put_number(writing, flame->tasks.n);
	array_each(&flame->tasks, task) {
		put_number(writing, task->pid);
		put_number(writing, task->tid);
		put_text(writing, task->comm);
	}
}

/* --- what was counted ----------------------------------------------------- */

static void put_lane(struct writing *writing, const struct moments_lane *lane)
{
	static const uint64_t states[THREAD_STATES] = {
		[STATE_RUNNABLE] = 1,
		[STATE_BLOCKED] = 2,
		[STATE_PREEMPTED] = 3,
	};
	uint64_t unit = lane->state == STATE_ON ? 1 : 1000, sum = 0;
	uint64_t next = first_bin(writing->data);

	put_number(writing, states[lane->state]);
	put_number(writing, lane->pid);
	put_number(writing, lane->tid);
	put_text(writing, lane->is_rest ? HIST_REST : "");
	put_number(writing, lane->at.n);
	array_each(&lane->at, moment) {
		put_number(writing, moment->bin - next);
		/* What is less than a unit isn't lost, but goes on. */
		put_number(writing,
			(sum + moment->count) / unit - sum / unit);
		sum += moment->count;
		next = moment->bin + 1;
	}
}

static void put_lanes(struct writing *writing, uint32_t event)
{
	const struct moments *moments = writing->data->moments;
	uint64_t n = 0;

	if (!moments) {
		put_number(writing, 0);
		return;
	}
	array_each(&moments->lanes, lane)
		n += lane->event == event;
	put_number(writing, n);
	array_each(&moments->lanes, lane)
		if (lane->event == event)
			put_lane(writing, lane);
}

/* Of functions that lost frames. */
static void put_totals(struct writing *writing, uint32_t event)
{
	const struct flame *flame = writing->data->flame;
	uint64_t n = 0;

	array_each(&flame->totals, total)
		n += total->event == event;
	put_number(writing, n);
	array_each(&flame->totals, total) {
		if (total->event != event)
			continue;
		put_number(writing, total->function);
		put_number(writing, total->period);
	}
}

/* The cells of one event; those of one slice and task are a group. */
struct range {
	const struct flame_cell *at, *end;
};

static struct range cells_of(const struct flame *flame, uint32_t event)
{
	size_t first =
		array_count_before(&flame->cells, cell, cell->event < event);
	size_t end =
		array_count_before(&flame->cells, cell, cell->event <= event);

	/* Without cells, their array can be NULL. */
	if (first == end)
		return (struct range){ NULL, NULL };
	return (struct range){ flame->cells.at + first, flame->cells.at + end };
}

static struct range group_at(
	const struct flame_cell *at, const struct flame_cell *end)
{
	struct range group = { at, at };

	while (group.end < end && group.end->slice == at->slice &&
		group.end->task == at->task)
		group.end++;
	return group;
}

static uint64_t count_groups(struct range cells)
{
	uint64_t n = 0;

	for (; cells.at < cells.end; n++)
		cells.at = group_at(cells.at, cells.end).end;
	return n;
}

/* 0 if samples don't all have one period. */
static uint64_t same_period(struct range cells)
{
	uint64_t same = 0;

	if (cells.at < cells.end && cells.at->samples)
		same = cells.at->period / cells.at->samples;
	for (; cells.at < cells.end; cells.at++)
		if (cells.at->period != cells.at->samples * same)
			return 0;
	return same;
}

static void put_groups(
	struct writing *writing, struct range cells, bool has_periods)
{
	uint64_t slice = 0;

	put_number(writing, count_groups(cells));
	while (cells.at < cells.end) {
		struct range group = group_at(cells.at, cells.end);
		uint32_t node = 0;

		put_number(writing, group.at->slice - slice);
		put_number(writing, group.at->task);
		put_number(writing, (uint64_t)(group.end - group.at));
		slice = group.at->slice;
		for (; group.at < group.end; group.at++) {
			put_number(writing, group.at->node - node);
			put_number(writing, group.at->samples);
			if (has_periods)
				put_number(writing, group.at->period);
			node = group.at->node;
		}
		cells.at = group.end;
	}
}

/* With --off-cpu and the like there is one event, whatever it was. */
static bool is_of_time(
	const struct result *result, const struct input_event *event)
{
	const struct reader *reader =
		result->inputs.at.at[event->input].reader;

	return result->options->time != TIME_RECORDED ||
		attr_counts_ns(&reader_event(reader, event->own)->attr);
}

/* Event OWN of RESULT, which is NUMBER in the tree. */
static void put_event(struct writing *writing, const struct result *result,
	uint32_t own, uint32_t number)
{
	const struct input_event *event = &result->inputs.events.at[own];
	const struct take_totals *totals = &result->scan.by_event.at[own];
	struct range cells = cells_of(writing->data->flame, number);
	uint64_t same = same_period(cells);

	put_text(writing, event->name);
	put_text(writing, is_of_time(result, event) ? "ns" : "");
	put_number(writing, totals->samples);
	put_number(writing, totals->period);
	put_number(writing, event->lost);
	put_number(writing, same);
	put_totals(writing, number);
	put_lanes(writing, number);
	put_groups(writing, cells, !same);
}

static void put_events(struct writing *writing)
{
	const struct html_data *data = writing->data;
	uint64_t n = 0;
	uint32_t first = 0, own;
	size_t i;

	for (i = 0; i < data->n_results; i++)
		array_each(&data->results[i]->scan.by_event, totals)
			n += totals->samples > 0;
	put_number(writing, n);
	for (i = 0; i < data->n_results; i++) {
		const struct result *result = data->results[i];

		for (own = 0; own < result->scan.by_event.n; own++)
			if (result->scan.by_event.at[own].samples)
				put_event(writing, result, own, first + own);
		first += (uint32_t)result->inputs.events.n;
	}
}

static void put_sections(struct writing *writing)
{
	const struct html_data *data = writing->data;
	size_t i;

	put_number(writing, data->n_sections);
	for (i = 0; i < data->n_sections; i++) {
		const struct html_section *section = &data->sections[i];

		put_text(writing, section->name);
		put_number(writing, section->bytes.n);
		deflate_put(writing->out, writing->part.at, writing->part.n);
		strbuf_clear(&writing->part);
		deflate_put(writing->out, section->bytes.at ?: "",
			section->bytes.n);
	}
}

void html_data_put(const struct html_data *data, struct deflate *out)
{
	struct writing writing = { .data = data, .out = out };

	put_number(&writing, HTML_DATA_VERSION);
	put_facts(&writing);
	put_times(&writing);
	put_functions(&writing);
	put_nodes(&writing);
	put_tasks(&writing);
	put_events(&writing);
	put_sections(&writing);
	deflate_put(out, writing.part.at, writing.part.n);
	strbuf_free(&writing.part);
}
