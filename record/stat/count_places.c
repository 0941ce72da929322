/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_places.h"

#include "record/sys/sysfile.h"

static void add_thread_place(struct count_places *places, pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/comm", (int)tid);
	struct count_place *place = array_push(&places->list);

	place->cpu = -1;
	place->tid = tid;
	if (!sysfile_line(path, place->name, sizeof(place->name)))
		place->name[0] = '\0';
}

void count_places_list(
	const struct counters *counters, struct count_places *ret)
{
	if (counters->target->kind == TARGET_SYSTEM)
		array_each(&counters->target->sampled.list, cpu)
			array_push(&ret->list)->cpu = (int)*cpu;
	array_each(&counters->threads.list, tid)
		add_thread_place(ret, *tid);
}

void count_places_free(struct count_places *places)
{
	array_free(&places->list);
}

/* Adds a row for EVENT, at its place with index INDEX or at all of them. */
static void add_count_row(const struct count_places *places,
	const struct counters *counters, size_t event, size_t index,
	struct count_table *table)
{
	struct count_row *row = array_push(&table->rows);
	struct reading reading = { 0 };
	bool is_here = true;

	if (places->list.n)
		is_here = counters_at_place(counters, event, index, &reading);
	else
		reading = counters_total(counters, event);
	*row = (struct count_row){
		.event = &counters->selection->events.at[event],
		.place = places->list.n ? &places->list.at[index] : NULL,
		.value = reading_estimate(&reading),
		.enabled_ns = (double)reading.enabled,
		.running_ns = (double)reading.running,
	};
	if (!counters->events.at[event].is_supported)
		row->state = COUNT_UNSUPPORTED;
	else if (!is_here)
		row->state = COUNT_ABSENT;
	else if (!reading_is_counted(&reading))
		row->state = COUNT_NONE;
}

void count_places_fill(const struct count_places *places,
	const struct counters *counters, struct count_table *ret)
{
	size_t event, place;

	ret->n_places = MAX(places->list.n, (size_t)1);
	for (event = 0; event < counters->events.n; event++)
		for (place = 0; place < ret->n_places; place++)
			add_count_row(places, counters, event, place, ret);
}
