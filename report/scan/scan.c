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
/* File size for which one more thread is started. */
#define SHARE_SIZE MIB(1)

/* The extents (ranges of the file) that the threads of a crew read. */
enum extents {
	EXTENTS_BLOCKS = 1, /* dwell's blocks, which the survey skips */
	EXTENTS_OTHERS = 2,
	EXTENTS_ALL = 3,
};

/* The threads of one pass over samples. */
struct crew {
	struct reader *reader;
	const struct survey *survey;
	const struct scan_request *request;
	const struct thread_set *only; /* count only these threads; NULL: all */
	_Atomic uint64_t *periods;     /* borrowed; of struct counter */
	enum extents extents;
	_Atomic size_t next_extent;
	struct survey_pass *pass; /* the concurrent survey, or NULL */
	_Atomic bool is_over;	  /* memory limit reached: no thread counts */
	size_t n;
	struct worker {
		struct crew *crew;
		struct counter counter;
		struct one_pass one_pass;
		bool shows_progress; /* set for the first worker only */
		pthread_t thread;
	} * workers;
};

static bool is_crew_extent(const struct crew *crew, const struct extent *extent)
{
	enum extents kind = extent->coding == EXTENT_BLOCK ? EXTENTS_BLOCKS
							   : EXTENTS_OTHERS;

	return crew->extents & kind &&
		sample_selection_has_extent(crew->request->selection, extent);
}

static void *scan_crew_extents(void *data)
{
	struct worker *worker = data;
	struct crew *crew = worker->crew;
	struct cursor *cursor = cursor_create(crew->reader);
	size_t n = reader_n_extents(crew->reader), i;
	struct chunk chunk;

	while ((i = atomic_fetch_add(&crew->next_extent, 1)) < n &&
		!progress_is_given_up()) {
		const struct extent *extent = reader_extent(crew->reader, i);

		if (!is_crew_extent(crew, extent))
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

static void discard_stacks(struct counter *counter)
{
	reader_release(counter->reader, counter->stacks.kept);
	stacks_deinit(&counter->stacks);
	counter->stacks.kept = 0;
}

/* Counts samples during the survey. */
static void *scan_during_survey(void *data)
{
	struct worker *worker = data;
	struct crew *crew = worker->crew;
	struct counter *counter = &worker->counter;
	uint8_t *room = xmalloc(READER_ROOM);
	struct chunk chunk;

	while (survey_next(crew->pass, crew->n > 1 ? &room : NULL, &chunk) ==
		0) {
		if (chunk.coding == EXTENT_BLOCK || crew->is_over)
			continue;
		count_chunk(counter, &chunk);
		if (counter->stacks.is_full)
			crew->is_over = true;
		if (crew->is_over)
			discard_stacks(counter);
	}
	free(room);
	return NULL;
}

struct in_order {
	struct counter *counter;
	struct deltas deltas;
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
		damage_add(&counter->damaged, 1, position);
		return true;
	}
	at = maps_context(counter->survey->maps, sample.pid, sample.tid,
		survey_time(counter->survey, sample.time, position));
	while (deltas_next(&in_order->deltas, &sample, &at, &i, &event)) {
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
	struct worker *worker = data;
	struct counter *counter = &worker->counter;
	struct in_order in_order = { .counter = counter };

	deltas_init(&in_order.deltas, counter->reader);
	order_samples(counter->reader, counter->survey, NULL,
		count_counter_sample, &in_order);
	deltas_deinit(&in_order.deltas);
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
	struct worker *worker = data;
	const struct scan_request *request = worker->counter.request;

	switches_each(request->offcpu->switches, count_switch_record,
		&worker->counter);
	return NULL;
}

/*
 * Returns the number of worker threads: the number of usable CPUs, at most
 * WORKERS_MAX and PIECES.
 */
static size_t count_workers(uint64_t pieces)
{
	size_t n = MIN(cpus_usable(), (size_t)WORKERS_MAX);

	return (size_t)MIN(pieces, (uint64_t)n);
}

/*
 * Returns the largest sum of the periods of one input: the sum of all inputs
 * must not wrap around.
 */
static uint64_t largest_period_sum(const struct scan_request *request)
{
	return UINT64_MAX / MAX(request->n_inputs, (size_t)1);
}

static void crew_run(struct crew *crew, void *(*task)(void *data))
{
	size_t started = 1, i;

	crew->workers = xcalloc(crew->n, sizeof(*crew->workers));
	for (i = 0; i < crew->n; i++) {
		struct worker *worker = &crew->workers[i];

		worker->crew = crew;
		worker->counter.reader = crew->reader;
		worker->counter.survey = crew->survey;
		worker->counter.request = crew->request;
		worker->counter.only = crew->only;
		worker->counter.periods = crew->periods;
		worker->counter.one_pass =
			crew->pass ? &worker->one_pass : NULL;
		count_begin(&worker->counter);
	}
	while (started < crew->n &&
		pthread_create(&crew->workers[started].thread, NULL, task,
			&crew->workers[started]) == 0)
		started++;
	crew->workers[0].shows_progress = true;
	task(&crew->workers[0]);
	progress_clear();
	for (i = 1; i < started; i++)
		pthread_join(crew->workers[i].thread, NULL);
	if (crew->request->unwinding)
		unwinding_finish(crew->request->unwinding);
	for (i = 0; i < crew->n; i++)
		count_end(&crew->workers[i].counter);
}

static void add_counter(struct scan *scan, const struct counter *counter)
{
	size_t i;

	*array_push(&scan->parts) = counter->stacks;
	for (i = 0; i < counter->by_event.n; i++) {
		if (i == scan->by_event.n)
			array_push(&scan->by_event);
		scan->by_event.at[i].samples += counter->by_event.at[i].samples;
		scan->by_event.at[i].period += counter->by_event.at[i].period;
	}
	scan->n_excess += counter->n_excess;
	scan->missing_chains += counter->room.missing;
	offcpu_counts_add(&scan->offcpu, &counter->offcpu);
	scan->reserved += counter->stacks.reserved;
	damage_add(&scan->damaged, counter->damaged.n, counter->damaged.first);
}

/*
 * Adds the counts of CREW to SCAN, or discards them if SCAN is NULL. Frees the
 * workers.
 */
static void crew_end(struct crew *crew, struct scan *scan)
{
	size_t i;

	for (i = 0; i < crew->n; i++) {
		struct worker *worker = &crew->workers[i];

		if (scan)
			add_counter(scan, &worker->counter);
		else
			discard_stacks(&worker->counter);
		array_free(&worker->counter.by_event);
		one_pass_deinit(&worker->one_pass);
	}
	free(crew->workers);
}

/*
 * Counts the samples in EXTENTS and adds the counts to SCAN. Counts only the
 * threads ONLY, or all threads if ONLY is NULL.
 */
static void scan_extents(const struct crew *like, enum extents extents,
	const struct thread_set *only, struct scan *scan)
{
	struct crew crew = { .reader = like->reader,
		.survey = like->survey,
		.request = like->request,
		.periods = like->periods,
		.extents = extents,
		.only = only,
		.n = 1 };
	const struct sample_keys *sample_keys = like->request->sample_keys;
	bool is_in_order = deltas_are_needed(like->reader);

	if (!is_in_order && !reader_is_ordered(like->reader) &&
		!(sample_keys && sample_keys->traces))
		crew.n = count_workers(reader_n_extents(like->reader) / 4 + 1);
	crew_run(&crew, is_in_order ? scan_in_order : scan_crew_extents);
	crew_end(&crew, scan);
}

static void scan_recorded_switches(const struct crew *like, struct scan *scan)
{
	struct crew crew = { .reader = like->reader,
		.survey = like->survey,
		.request = like->request,
		.periods = like->periods,
		.n = 1 };

	crew_run(&crew, scan_switch_records);
	crew_end(&crew, scan);
}

void scan_run(struct reader *reader, const struct survey *survey,
	const struct scan_request *request, struct scan *ret)
{
	_Atomic uint64_t periods = largest_period_sum(request);
	const struct crew like = { .reader = reader,
		.survey = survey,
		.request = request,
		.periods = &periods };

	*ret = (struct scan){ .reader = reader };
	scan_extents(&like, EXTENTS_ALL, NULL, ret);
	if (request->offcpu && request->offcpu->stacks == OFFCPU_NO_EVENT)
		scan_recorded_switches(&like, ret);
}

bool scan_can_use_one_pass(
	struct reader *reader, const struct scan_request *request)
{
	return !reader_is_pipe(reader) && !deltas_are_needed(reader) &&
		!reader_has_stack_copies(reader) && !request->sample_keys &&
		!request->selection;
}

/* Returns whether the memory limit allows another copy of CREW's stacks. */
static bool can_double_memory(const struct crew *crew)
{
	uint64_t kept = 0;
	size_t i;

	for (i = 0; i < crew->n; i++)
		kept += crew->workers[i].counter.stacks.kept;
	if (crew->is_over || !reader_reserve(crew->reader, kept))
		return false;
	reader_release(crew->reader, kept);
	return true;
}

/*
 * After the survey: replaces preliminary contexts by the state of threads, and
 * counts the samples that were not counted during the survey.
 */
static void finish_one_pass(struct crew *crew, struct scan *scan)
{
	struct thread_set mixed = { 0 };
	size_t i;

	for (i = 0; i < crew->n; i++)
		one_pass_find_mixed(&crew->workers[i].one_pass,
			&crew->workers[i].counter.stacks, crew->survey, &mixed);
	for (i = 0; i < crew->n; i++)
		one_pass_finish(&crew->workers[i].one_pass,
			&crew->workers[i].counter.stacks, crew->survey,
			crew->request, &mixed,
			crew->workers[i].counter.by_event.at);
	crew_end(crew, scan);
	scan_extents(crew, EXTENTS_BLOCKS, NULL, scan);
	if (mixed.at.n)
		scan_extents(crew, EXTENTS_OTHERS, &mixed, scan);
	thread_set_deinit(&mixed);
}

struct error *scan_with_survey(struct reader *reader,
	const struct scan_request *request, struct survey *survey_ret,
	struct scan *ret)
{
	_Atomic uint64_t periods = largest_period_sum(request);
	struct crew crew = { .reader = reader,
		.survey = survey_ret,
		.request = request,
		.periods = &periods,
		.pass = survey_begin(reader, SURVEY_SIDEBAND, survey_ret),
		.n = count_workers(reader_size(reader) / SHARE_SIZE + 1) };
	struct error *err;

	crew_run(&crew, scan_during_survey);
	err = survey_end(crew.pass);
	*ret = (struct scan){ .reader = reader };
	if (!err && can_double_memory(&crew)) {
		finish_one_pass(&crew, ret);
		return NULL;
	}
	crew_end(&crew, NULL);
	if (!err)
		scan_run(reader, survey_ret, request, ret);
	return err;
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
		stacks_deinit(part);
	array_free(&scan->parts);
	stacks_deinit(&scan->stacks);
	array_free(&scan->by_event);
}
