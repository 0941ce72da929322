/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "common/alloc.h"
#include "report/cuts.h"
#include "report/deltas.h"
#include "report/order.h"
#include "report/progress.h"

#define WORKERS_MAX 64u
/* A few threads alternate on a CPU: remember the last contexts of each. */
#define RECENT_CONTEXTS 64u
/* So many wait for memory together. */
#define BATCH 32u

struct recent {
	uint64_t from, until; /* times it is good for; empty: from > until */
	uint32_t event, pid, tid, cpu;
	uint32_t context;
};

/* A sample on its way: see stacks_prepare(). */
struct pending {
	struct stack_sample sample;
	uint64_t hash;
	uint32_t context;
};

struct worker {
	struct reader *reader;
	const struct survey *survey;
	const struct scan_request *request;
	_Atomic size_t *next_extent;
	struct recent recent[RECENT_CONTEXTS];
	struct pending pending[BATCH];
	size_t n_pending;
	struct sample sample; /* the one that is read */
	struct late_room room; /* of one sample at a time */
	struct unwinding_thread *unwinding; /* borrowed; NULL: none */
	struct cuts cuts;
	struct stacks stacks;
	struct scan scan; /* what it counts, but for the stacks */
	bool shows_progress; /* one of them */
	pthread_t thread;
};

/* The slow way, once per thread and change of its address space or name. */
static void find_context(struct worker *worker, const struct sample *sample,
	uint64_t time, struct recent *recent)
{
	const struct scan_request *request = worker->request;
	const struct maps *maps = worker->survey->maps;
	struct maps_context at =
		maps_context(maps, sample->pid, sample->tid, time);
	bool is_named = at.comm || sample->tid == 0;
	char comm[SURVEY_COMM_SIZE];
	struct context context = {
		.event = recent->event,
		.input = request->input,
		.space = at.space,
		.comm = at.comm,
		.pid = request->wants_pid || request->wants_tid ? sample->pid
								: 0,
		/* A thread without a name is called by its number. */
		.tid = request->wants_tid || !is_named ? sample->tid : 0,
		.cpu = request->wants_cpu ? sample->cpu : 0,
	};

	context.is_filtered =
		!filter_passes_task(
			request->filter, sample->pid, sample->tid) ||
		!filter_passes_name(&request->filter->comms,
			survey_comm(
				worker->survey, at.comm, sample->tid, comm));
	recent->from = at.valid_from;
	recent->until = at.valid_until;
	recent->context = stacks_context(&worker->stacks, &context);
}

static uint32_t context_of(struct worker *worker, const struct sample *sample,
	uint32_t event, uint64_t time)
{
	struct recent *recent =
		&worker->recent[(sample->tid ^ event << 3) % RECENT_CONTEXTS];
	uint32_t cpu = worker->request->wants_cpu ? sample->cpu : 0;

	if (recent->tid == sample->tid && recent->pid == sample->pid &&
		recent->event == event && recent->cpu == cpu &&
		time >= recent->from && time < recent->until)
		return recent->context;
	recent->event = event;
	recent->pid = sample->pid;
	recent->tid = sample->tid;
	recent->cpu = cpu;
	find_context(worker, sample, time, recent);
	return recent->context;
}

static void add_pending(struct worker *worker)
{
	size_t n = worker->n_pending, i;

	for (i = 0; i < n; i++)
		stacks_fetch(&worker->stacks, worker->pending[i].context,
			worker->pending[i].hash);
	for (i = 0; i < n; i++) {
		const struct pending *pending = &worker->pending[i];

		stacks_add_prepared(&worker->stacks, pending->context,
			&pending->sample, pending->hash);
	}
	worker->n_pending = 0;
	if (worker->unwinding)
		unwinding_clear(worker->unwinding);
}

/* What SAMPLE borrows must be there until the next add_pending(). */
static inline void add_later(
	struct worker *worker, const struct sample *sample, uint32_t context)
{
	struct pending *pending = &worker->pending[worker->n_pending];

	pending->sample =
		stack_sample_of(sample, worker->request->wants_chains);
	pending->context = context;
	pending->hash = stacks_prepare(
		&worker->stacks, context, &pending->sample);
	if (++worker->n_pending == BATCH)
		add_pending(worker);
}

/*
 * A report that asks for more of a sample than where it ran: CONTEXT has that
 * then. False: the sample's branches were counted, and that is all.
 */
static bool take_values(struct worker *worker, struct sample *sample,
	uint32_t event, uint64_t time, uint32_t *context)
{
	const struct scan_request *request = worker->request;
	const struct take_source source = {
		.sample = sample,
		.cpumode = sample->cpumode,
		.type = reader_layout(worker->reader, event)->type,
		.quantum_ns = request->takes->quantum_ns,
		.event = event,
		.input = request->input,
		.traces = request->takes->traces,
		.survey = worker->survey,
		.time = time,
	};

	if (request->takes->mode == TAKE_BRANCHES) {
		takes_count_branches(request->takes, &worker->stacks,
			*context, &source, &worker->scan.by_event.at[event]);
		return false;
	}
	*context = takes_context(
		request->takes, &worker->stacks, *context, &source);
	sample->period = takes_period(request->takes, &source);
	return true;
}

/* Gives SAMPLE the callchain of its stack; true: it must wait for the rest. */
static bool unwind_sample(struct worker *worker, struct sample *sample,
	uint32_t context, const struct unwinding_place *at)
{
	const struct context *of = &worker->stacks.contexts.at[context];
	struct unwinding_place place = *at;

	if (of->is_filtered || of->is_rest)
		return false;
	if (!unwinding_has_room(worker->unwinding))
		add_pending(worker);
	place.space = of->space;
	return unwinding_take(worker->unwinding, &place, sample) ==
		UNWINDING_CUT &&
		!worker->request->only_unwinds &&
		cuts_add(&worker->cuts, worker->reader, sample, context,
			unwinding_last_cut(worker->unwinding));
}

/* SAMPLE has what it counts as, and perhaps a callchain, afterwards. */
static inline void count(struct worker *worker, struct sample *sample,
	uint32_t event, uint64_t position)
{
	const struct scan_request *request = worker->request;
	struct take_totals *totals = &worker->scan.by_event.at[event];
	uint32_t context;
	uint64_t time;

	if (!pick_has_sample(request->pick, event, sample))
		return;
	time = survey_time(worker->survey, sample->time, position);
	context = context_of(worker, sample, event, time);
	if (unlikely(request->takes) &&
		!take_values(worker, sample, event, time, &context))
		return;
	totals->samples++;
	totals->period += sample->period;
	if (unlikely(worker->unwinding) &&
		unwind_sample(worker, sample, context,
			&(struct unwinding_place){ .event = event,
				.time = time,
				.position = position }))
		return;
	if (likely(!request->only_unwinds))
		add_later(worker, sample, context);
}

/* The user's part came later. What waits may be in the room that it needs. */
static void count_late(struct worker *worker, struct record record,
	uint32_t event, uint64_t position)
{
	struct sample sample;

	add_pending(worker);
	if (late_read(&worker->survey->late,
		    reader_layout(worker->reader, event), &record, &sample,
		    &worker->room))
		count(worker, &sample, event, position);
}

static void take_sample(struct worker *worker, const struct record *record,
	uint64_t position)
{
	uint32_t event =
		(uint32_t)reader_event_of(worker->reader, record);
	struct sample *sample = &worker->sample;

	if (!sample_read_next(
		    reader_layout(worker->reader, event), record, sample))
		damage_add(&worker->scan.damaged, 1, position);
	else if (userchain_is_awaited(sample))
		count_late(worker, *record, event, position);
	else
		count(worker, sample, event, position);
}

/* Samples that wait point into the chunk. */
static void take_chunk(struct worker *worker, const struct chunk *chunk)
{
	struct record record;
	size_t at = 0;

	while (record_at(chunk->data + at, chunk->size - at, false, &record)) {
		__builtin_prefetch(record.data + KIB(4));
		if (record.type == RECORD_SAMPLE)
			take_sample(worker, &record, chunk->position + at);
		at += record.size;
	}
	add_pending(worker);
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct cursor *cursor = cursor_create(worker->reader);
	size_t n = reader_n_extents(worker->reader), i;
	struct chunk chunk;

	while ((i = atomic_fetch_add(worker->next_extent, 1)) < n) {
		const struct extent *extent =
			reader_extent(worker->reader, i);

		if (!pick_has_extent(worker->request->pick, extent))
			continue;
		if (worker->shows_progress)
			progress_show("counting", i, n);
		cursor_load(cursor, extent);
		while (cursor_next(cursor, &chunk) == 0)
			take_chunk(worker, &chunk);
	}
	cursor_destroy(cursor);
	return NULL;
}

struct in_order {
	struct worker *worker;
	struct deltas deltas;
};

/* A sample with counters is one of each event that they counted. */
static void take_counters(
	void *data, const struct record *record, uint64_t position)
{
	struct in_order *in_order = data;
	struct worker *worker = in_order->worker;
	uint32_t event =
		(uint32_t)reader_event_of(worker->reader, record);
	struct record whole = *record;
	struct sample sample;
	uint64_t i = 0;

	if (!late_read(&worker->survey->late,
		    reader_layout(worker->reader, event), &whole, &sample,
		    &worker->room)) {
		damage_add(&worker->scan.damaged, 1, position);
		return;
	}
	while (deltas_next(&in_order->deltas, &sample, &i, &event)) {
		struct sample part = sample;

		count(worker, &part, event, position);
	}
	add_pending(worker);
}

/* What a counter has counted since the sample before needs them in order. */
static void work_in_order(struct worker *worker)
{
	struct in_order in_order = { .worker = worker };

	deltas_init(&in_order.deltas, worker->reader);
	order_samples(worker->reader, worker->survey, NULL, take_counters,
		&in_order);
	deltas_deinit(&in_order.deltas);
}

static void worker_init(struct worker *worker, struct reader *reader,
	const struct survey *survey, const struct scan_request *request,
	_Atomic size_t *next_extent)
{
	size_t i;

	worker->reader = reader;
	worker->survey = survey;
	worker->request = request;
	worker->next_extent = next_extent;
	if (request->unwinding)
		worker->unwinding = unwinding_add_thread(
			request->unwinding, false);
	worker->stacks.reader = reader;
	worker->stacks.max_frames = request->max_frames;
	worker->stacks.keeps_callers = request->keeps_callers;
	for (i = 0; i < RECENT_CONTEXTS; i++)
		worker->recent[i].from = UINT64_MAX;
	for (i = 0; i < reader_n_events(reader); i++)
		array_push(&worker->scan.by_event);
}

/* As many as there are CPUs for us, and work for them. */
static size_t count_workers(struct reader *reader)
{
	size_t n = 1;
	cpu_set_t cpus;

	if (reader_is_ordered(reader))
		return 1;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		n = (size_t)CPU_COUNT(&cpus);
	n = MIN(n, reader_n_extents(reader) / 4 + 1);
	return MIN(n, (size_t)WORKERS_MAX);
}

static void add_worker(struct scan *scan, struct worker *worker)
{
	size_t i;

	if (worker->unwinding)
		cuts_count(&worker->cuts, worker->unwinding, &worker->stacks);

	*array_push(&scan->parts) = worker->stacks;
	for (i = 0; i < worker->scan.by_event.n; i++) {
		if (i == scan->by_event.n)
			array_push(&scan->by_event);
		scan->by_event.at[i].samples +=
			worker->scan.by_event.at[i].samples;
		scan->by_event.at[i].period +=
			worker->scan.by_event.at[i].period;
	}
	scan->unjoined += worker->room.missing;
	scan->put_by += worker->stacks.put_by;
	damage_add(&scan->damaged, worker->scan.damaged.n,
		worker->scan.damaged.first);
}

void scan_run(struct reader *reader, const struct survey *survey,
	const struct scan_request *request, struct scan *ret)
{
	_cleanup_free_ struct worker *workers =
		xcalloc(WORKERS_MAX, sizeof(*workers));
	bool is_in_order = deltas_are_needed(reader);
	bool is_alone = is_in_order || (request->takes && request->takes->traces);
	size_t n = is_alone ? 1 : count_workers(reader), started = 1, i;
	_Atomic size_t next_extent = 0;

	for (i = 0; i < n; i++)
		worker_init(
			&workers[i], reader, survey, request, &next_extent);
	while (started < n && pthread_create(&workers[started].thread, NULL,
				      work, &workers[started]) == 0)
		started++;
	workers[0].shows_progress = true;
	if (is_in_order)
		work_in_order(&workers[0]);
	else
		work(&workers[0]);
	progress_clear();
	for (i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	if (request->unwinding)
		unwinding_finish(request->unwinding);
	*ret = (struct scan){ .reader = reader };
	for (i = 0; i < n; i++) {
		add_worker(ret, &workers[i]);
		array_free(&workers[i].scan.by_event);
	}
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
