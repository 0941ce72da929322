/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/count_places.h"

#include "record/sys/sysfile.h"

/* Returns the numbers of AT that identify a place of BY; the others are 0. */
static struct topology_of_cpu place_identity(
	enum count_by by, const struct topology_of_cpu *at)
{
	switch (by) {
	case COUNT_BY_CORE:
		return (struct topology_of_cpu){
			.core = at->core, .die = at->die, .socket = at->socket
		};
	case COUNT_BY_DIE:
		return (struct topology_of_cpu){ .die = at->die,
			.socket = at->socket };
	case COUNT_BY_SOCKET:
		return (struct topology_of_cpu){ .socket = at->socket };
	case COUNT_BY_NODE: return (struct topology_of_cpu){ .node = at->node };
	default: return (struct topology_of_cpu){ .cpu = at->cpu };
	}
}

static int compare_topology(
	const struct topology_of_cpu *a, const struct topology_of_cpu *b)
{
	return COMPARE(a->node, b->node) ?: COMPARE(a->socket, b->socket)
		?: COMPARE(a->die, b->die)
		?: COMPARE(a->core, b->core)
		?: COMPARE(a->cpu, b->cpu);
}

static int compare_count_places(const void *left, const void *right)
{
	const struct count_place *a = left, *b = right;

	return compare_topology(&a->at, &b->at);
}

void count_places_list(const struct counters *counters, const char *root,
	enum count_by by, struct count_places *ret)
{
	ret->by = by;
	if (by == COUNT_BY_THREAD)
		array_each(&counters->threads.list, tid) {
			_cleanup_free_ char *path =
				xasprintf("/proc/%d/comm", (int)*tid);
			struct count_place *place = array_push(&ret->list);

			*array_push(&ret->of) = ret->list.n - 1;
			place->tid = *tid;
			if (!sysfile_line(
				    path, place->name, sizeof(place->name)))
				place->name[0] = '\0';
		}
	else if (by != COUNT_BY_ALL) {
		ARRAY(struct topology_of_cpu) all = { 0 };
		size_t i, n = 0;

		array_each(&counters->target->sampled.list, cpu) {
			struct topology_of_cpu at = topology_read(root, *cpu);

			at = place_identity(ret->by, &at);
			*array_push(&all) = at;
			array_push(&ret->list)->at = at;
		}
		array_sort(&ret->list, compare_count_places);
		for (i = 0; i < ret->list.n; i++)
			if (!i ||
				compare_count_places(&ret->list.at[i],
					&ret->list.at[n - 1]) != 0)
				ret->list.at[n++] = ret->list.at[i];
		ret->list.n = n;
		array_each(&all, at)
			*array_push(&ret->of) = array_count_before(&ret->list,
				place, compare_topology(&place->at, at) < 0);
		array_free(&all);
	}
}

void count_places_free(struct count_places *places)
{
	array_free(&places->list);
	array_free(&places->of);
}

/* Sets the count of ROW, whose event is supported, to READING. */
static void set_count(const struct reading *reading, struct count_row *row)
{
	row->value = reading_estimate(reading);
	row->enabled_ns = (double)reading->enabled;
	row->running_ns = (double)reading->running;
	row->state = reading_is_counted(reading) ? COUNT_VALID : COUNT_NONE;
}

void count_places_fill(const struct count_places *places,
	const struct counters *counters, struct count_table *ret)
{
	size_t event;

	ret->by = places->by;
	ret->n_places = places->by == COUNT_BY_ALL ? (size_t)1 : places->list.n;
	for (event = 0; event < counters->events.n; event++) {
		const struct reading total = counters_total(counters, event);
		size_t first = ret->rows.n, i;

		for (i = 0; i < ret->n_places; i++)
			array_push(&ret->rows)->event =
				&counters->selection->events.at[event];
		if (places->by == COUNT_BY_ALL)
			set_count(&total, &ret->rows.at[first]);
		else {
			_cleanup_free_ struct reading *sums =
				xcalloc(places->list.n + 1, sizeof(*sums));
			struct count_row *rows = &ret->rows.at[first];
			struct reading part;

			for (i = 0; i < places->list.n; i++) {
				rows[i].place = &places->list.at[i];
				rows[i].state = COUNT_ABSENT;
			}
			for (i = 0; i < places->of.n; i++) {
				size_t place = places->of.at[i];

				if (!counters_at_place(
					    counters, event, i, &part))
					continue;
				reading_add(&sums[place], &part);
				rows[place].n_counted +=
					reading_is_counted(&part);
				set_count(&sums[place], &rows[place]);
			}
		}
		for (i = first; i < ret->rows.n; i++)
			if (!counters->events.at[event].is_supported)
				ret->rows.at[i].state = COUNT_UNSUPPORTED;
	}
}
