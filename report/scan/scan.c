/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/scan.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/util/alloc.h"
#include "common/util/cpus.h"
#include "report/scan/count.h"
#include "report/scan/counter_deltas.h"
#include "report/scan/order.h"
#include "report/util/progress.h"

#define WORKERS_MAX 64u

/* What the threads of a scan share. */
struct scan_crew {
	struct reader *reader;
	const struct survey *survey;
	const struct scan_request *request;
	_Atomic uint64_t periods; /* of struct counter */
	_Atomic size_t next_extent;
};

struct scan_worker {
	struct scan_crew *crew;
	struct counter counter;
	bool shows_progress; /* set for the first worker only */
	pthread_t thread;
};

static void *scan_crew_extents(void *data)
{
	struct scan_worker *worker = data;
	struct scan_crew *crew = worker->crew;
	struct cursor *cursor = cursor_create(crew->reader);
	size_t n = reader_n_extents(crew->reader), i;
	struct reader_chunk chunk;

	while ((i = atomic_fetch_add(&crew->next_extent, 1)) < n &&
		!progress_is_given_up()) {
		const struct extent *extent = reader_extent(crew->reader, i);

		if (!sample_selection_has_extent(
			    crew->request->selection, extent))
			continue;
		if (worker->shows_progress)
			progress_show("counting", i, n);
		cursor_load(cursor, extent);
		while (cursor_next(cursor, &chunk) == 0)
			count_chunk(&worker->counter, &chunk);
	}
	cursor_destroy(cursor);
	return NULL;
}

struct in_order {
	struct counter *counter;
	struct counter_deltas deltas;
};

/* Counts a sample with counter values as one sample of each counter's event. */
static bool count_counter_sample(
	void *data, const struct record *record, uint64_t position)
{
	struct in_order *in_order = data;
	struct counter *counter = in_order->counter;
	uint32_t event = (uint32_t)reader_event_of(counter->reader, record);
	struct record whole = *record;
	struct maps_context at;
	struct sample sample;
	uint64_t i = 0;

	if (!deferred_chains_read(&counter->survey->deferred,
		    reader_layout(counter->reader, event), &whole, &sample,
		    &counter->room)) {
		incomplete_damage_add(&counter->damaged, 1, position);
		return true;
	}
	at = maps_context(counter->survey->maps, sample.pid, sample.tid,
		survey_time(counter->survey, sample.time, position));
	while (counter_deltas_next(
		&in_order->deltas, &sample, &at, &i, &event)) {
		struct sample part = sample;

		count_sample(counter, &part, event, position);
	}
	count_all(counter);
	return true;
}

/*
 * Counts samples in the order of time, because counter values are differences
 * to earlier samples.
 */
static void *scan_in_order(void *data)
{
	struct scan_worker *worker = data;
	struct counter *counter = &worker->counter;
	struct in_order in_order = { .counter = counter };

	counter_deltas_init(&in_order.deltas, counter->reader);
	order_samples(counter->reader, counter->survey, NULL,
		count_counter_sample, &in_order);
	counter_deltas_deinit(&in_order.deltas);
	return NULL;
}

/* Counts a switch record, which has only a thread and a time. */
static void count_switch_record(void *data, const struct switch_record *out)
{
	struct counter *counter = data;
	struct sample sample = {
		.pid = out->pid,
		.tid = out->tid,
		.cpu = out->cpu,
		.time = out->time,
		.cpumode = STACKS_NOWHERE,
	};

	count_switch(counter, &sample);
	count_all(counter);
}

/*
 * Counts the off-CPU time of SWITCH records, for recordings without samples of
 * context switches.
 */
static void *scan_switch_records(void *data)
{
	struct scan_worker *worker = data;
	const struct scan_request *request = worker->counter.request;

	switches_each(request->offcpu->switches, count_switch_record,
		&worker->counter);
	return NULL;
}

/* Runs TASK in the N threads of CREW, and adds their counts to SCAN. */
static void crew_run(struct scan_crew *crew, size_t n,
	void *(*task)(void *data), struct scan *scan)
{
	struct scan_worker *workers = xcalloc(n, sizeof(*workers));
	size_t started = 1, i;

	for (i = 0; i < n; i++) {
		struct scan_worker *worker = &workers[i];

		worker->crew = crew;
		worker->counter.reader = crew->reader;
		worker->counter.survey = crew->survey;
		worker->counter.request = crew->request;
		worker->counter.periods = &crew->periods;
		count_begin(&worker->counter);
	}
	while (started < n &&
		pthread_create(&workers[started].thread, NULL, task,
			&workers[started]) == 0)
		started++;
	workers[0].shows_progress = true;
	task(&workers[0]);
	progress_clear();
	for (i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	if (crew->request->unwinding)
		recorded_unwinding_finish(crew->request->unwinding);
	for (i = 0; i < n; i++) {
		struct counter *counter = &workers[i].counter;
		size_t event;

		count_end(counter);
		*array_push(&scan->parts) = counter->stacks;
		for (event = 0; event < counter->by_event.n; event++) {
			const struct sample_totals *own =
				&counter->by_event.at[event];
			struct sample_totals *all = event < scan->by_event.n
				? &scan->by_event.at[event]
				: array_push(&scan->by_event);

			all->samples += own->samples;
			all->period += own->period;
		}
		scan->n_excess += counter->n_excess;
		scan->missing_chains += counter->room.missing;
		offcpu_counts_add(&scan->offcpu, &counter->offcpu);
		scan->reserved += counter->stacks.table.reserved;
		incomplete_damage_add(&scan->damaged, counter->damaged.n,
			counter->damaged.first);
		array_free(&counter->by_event);
	}
	free(workers);
}

void scan_run(struct reader *reader, const struct survey *survey,
	const struct scan_request *request, struct scan *ret)
{
	const struct sample_keys *sample_keys = request->sample_keys;
	bool is_in_order = counter_deltas_are_needed(reader);
	struct scan_crew crew = { .reader = reader,
		.survey = survey,
		.request = request,
		/* The sum of all inputs must not wrap around. */
		.periods = UINT64_MAX / MAX(request->n_inputs, (size_t)1) };
	size_t usable = MIN(cpus_usable(), (size_t)WORKERS_MAX), n = 1;

	*ret = (struct scan){ .budget = reader_budget(reader) };
	if (!is_in_order && !reader_is_ordered(reader) &&
		!(sample_keys && sample_keys->traces))
		n = MIN(reader_n_extents(reader) / 4 + 1, usable);
	crew_run(
		&crew, n, is_in_order ? scan_in_order : scan_crew_extents, ret);
	if (request->offcpu && request->offcpu->stacks == OFFCPU_NO_EVENT)
		crew_run(&crew, 1, scan_switch_records, ret);
}

uint64_t scan_samples(const struct scan *scan)
{
	uint64_t samples = 0;

	array_each(&scan->by_event, totals)
		samples += totals->samples;
	return samples;
}

void scan_deinit(struct scan *scan)
{
	array_each(&scan->parts, part)
		stacks_raw_deinit(part);
	array_free(&scan->parts);
	stacks_deinit(&scan->stacks);
	array_free(&scan->by_event);
}
