/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/count.h"

#include <stdatomic.h>

#include "common/perf/frame_origin.h"
#include "common/util/budget.h"

/* The part of the largest sum of periods that a counter takes in advance. */
#define PERIOD_AT_ONCE (UINT64_C(1) << 40)
/* Limit of the continued parts of a counter: they cost time, but no file size. */
#define CONTINUED_MAX (UINT64_C(1) << 24)

/* --- samples with truncated stack copies ------------------------------- */

/* Returns the counted part of SAMPLE. */
static inline struct stack_sample counted_stack_sample(
	const struct counter *counter, const struct sample *sample,
	bool has_chain)
{
	const struct offcpu_part *part = &counter->part;
	struct stack_sample counted = stack_sample_of(sample, has_chain);

	counted.n = !part->is_continued;
	if (part->span > part->ns)
		counted.span = (uint32_t)MIN(part->span, UINT32_MAX);
	return counted;
}

/*
 * Adds SAMPLE of CONTEXT, whose unwinding was truncated at CUT. Returns false
 * if the memory does not suffice.
 */
static bool truncated_stacks_add(struct counter *counter,
	const struct sample *sample, uint32_t context,
	struct recorded_unwinding_cut cut)
{
	struct truncated_stacks *truncated = &counter->truncated;
	uint64_t i;

	if (!budget_reserve(reader_budget(counter->reader),
		    2 *
			    (sizeof(struct truncated_stack) +
				    sample->n_chain * sizeof(uint64_t))))
		return false;
	*array_push(&truncated->list) = (struct truncated_stack){
		.sample = counted_stack_sample(counter, sample, true),
		.at = truncated->entries.n,
		.context = context,
		.cut = cut,
	};
	for (i = 0; i < sample->n_chain; i++)
		*array_push(&truncated->entries) =
			sample_chain_entry(sample, i);
	return true;
}

/*
 * Counts all samples of TRUNCATED in STACKS, where their contexts are, and
 * removes the samples from TRUNCATED. Call after recorded_unwinding_finish() for
 * THREAD's unwinding.
 */
static void truncated_stacks_count(struct truncated_stacks *truncated,
	const struct recorded_unwinding_thread *thread,
	struct stacks_raw *stacks)
{
	_cleanup_free_ uint64_t *chain =
		xcalloc(UNWINDING_CHAIN_MAX, sizeof(*chain));

	array_each(&truncated->list, cut) {
		struct stack_sample *sample = &cut->sample;
		size_t n = sample->n_chain, own = cut->cut.n_own, more;

		memcpy(chain, truncated->entries.at + cut->at,
			n * sizeof(*chain));
		more = recorded_unwinding_complete(thread, cut->cut.number,
			chain + own, UNWINDING_CHAIN_MAX - own);
		sample->chain = (const uint8_t *)chain;
		if (more)
			sample->n_chain = own + more;
		else
			stack_sample_skip_mark(sample);
		stacks_add(stacks, cut->context, sample);
	}
	array_free(&truncated->list);
	array_free(&truncated->entries);
}

/* --- contexts ---------------------------------------------------------- */

static inline uint32_t lookup_sample_context(struct counter *counter,
	const struct sample *sample, uint32_t event, uint64_t time)
{
	struct count_recent *recent =
		&counter->recent[(sample->tid ^ event << 3) % RECENT_CONTEXTS];
	uint32_t cpu = counter->request->wants_cpu ? sample->cpu : 0;
	struct maps_context at;
	struct context context;

	if (likely(recent->tid == sample->tid && recent->pid == sample->pid &&
		    recent->event == event && recent->cpu == cpu &&
		    time >= recent->from && time < recent->until))
		return recent->context;
	recent->event = event;
	recent->pid = sample->pid;
	recent->tid = sample->tid;
	recent->cpu = cpu;
	/*
	 * Usually once per thread, and again when the address space or name of
	 * the thread has changed.
	 */
	at = maps_context(
		counter->survey->maps, sample->pid, sample->tid, time);
	context = contexts_make(
		counter->survey, counter->request, event, sample, &at);
	recent->context = stacks_context(&counter->stacks.table, &context);
	recent->from = at.valid_from;
	recent->until = at.valid_until;
	return recent->context;
}

/* --- counting ---------------------------------------------------------- */

static void add_pending_samples(struct counter *counter)
{
	size_t n = counter->n_pending, i;

	for (i = 0; i < n; i++)
		stacks_fetch(&counter->stacks, counter->pending[i].context,
			counter->pending[i].hash);
	for (i = 0; i < n; i++) {
		const struct count_pending *pending = &counter->pending[i];

		stacks_add_prepared(&counter->stacks, pending->context,
			&pending->sample, pending->hash);
	}
	counter->n_pending = 0;
	if (unlikely(counter->unwinding))
		recorded_unwinding_clear(counter->unwinding);
}

/*
 * Adds SAMPLE of CONTEXT to the sample before, if both have the same stack:
 * samples of a block are in the order of their stacks.
 */
static inline bool join_pending_sample(struct counter *counter,
	const struct stack_sample *sample, uint32_t context)
{
	struct count_pending *before;

	if (!counter->n_pending || counter->stacks.table.keeps_times)
		return false;
	before = &counter->pending[counter->n_pending - 1];
	if (before->context != context ||
		!stack_sample_is_like(&before->sample, sample))
		return false;
	before->sample.period += sample->period;
	before->sample.n += sample->n;
	return true;
}

static inline void add_pending_sample(
	struct counter *counter, const struct sample *sample, uint32_t context)
{
	struct count_pending *pending = &counter->pending[counter->n_pending];
	struct stack_sample counted = counted_stack_sample(
		counter, sample, counter->request->wants_chains);

	if (unlikely(counter->has_marks))
		stack_sample_skip_mark(&counted);
	if (join_pending_sample(counter, &counted, context))
		return;
	pending->sample = counted;
	pending->context = context;
	pending->hash =
		stacks_prepare(&counter->stacks, context, &pending->sample);
	if (++counter->n_pending == BATCH)
		add_pending_samples(counter);
}

/*
 * Replaces *CONTEXT by a context that also has the sample's values by which
 * rows are grouped. Returns false if the sample's branches were counted instead
 * of the sample.
 */
static bool add_sample_keys(struct counter *counter, struct sample *sample,
	uint32_t event, uint64_t time, uint32_t *context)
{
	const struct scan_request *request = counter->request;
	struct sample_key_source source = {
		.sample = sample,
		.cpumode = sample->cpumode,
		.type = counter->layouts[event].type,
		.quantum_ns = request->sample_keys->quantum_ns,
		.event = event,
		.input = request->input,
		.traces = request->sample_keys->traces,
		.survey = counter->survey,
		.time = time,
		.state = counter->part.state,
	};

	if (request->sample_keys->mode == SAMPLE_COUNT_BRANCHES) {
		sample_keys_count_branches(request->sample_keys,
			&counter->stacks, *context, &source,
			&counter->by_event.at[event]);
		return false;
	}
	*context = sample_keys_context(
		request->sample_keys, &counter->stacks, *context, &source);
	sample->period = sample_keys_period(request->sample_keys, &source);
	return true;
}

static void unwind_waiting_samples(struct counter *counter)
{
	size_t i;

	if (counter->n_waiting)
		recorded_unwinding_walk(counter->unwinding);
	for (i = 0; i < counter->n_waiting; i++) {
		struct count_waiting *waiting = &counter->waiting[i];
		struct sample *sample = &waiting->sample;
		bool is_cut = false;

		if (waiting->has_stack) {
			if (!recorded_unwinding_has_room(counter->unwinding))
				add_pending_samples(counter);
			is_cut = recorded_unwinding_take(counter->unwinding,
					 &waiting->place,
					 sample) == UNWINDING_CUT;
		}
		if (counter->request->only_unwinds)
			continue;
		/* Samples with a truncated stack are counted later. */
		counter->part = waiting->part;
		if (!is_cut ||
			!truncated_stacks_add(counter, sample, waiting->context,
				recorded_unwinding_last_cut(
					counter->unwinding)))
			add_pending_sample(counter, sample, waiting->context);
	}
	counter->n_waiting = 0;
}

static void add_waiting_sample(struct counter *counter,
	const struct sample *sample, uint32_t context,
	const struct recorded_unwinding_place *place)
{
	const struct context *of = &counter->stacks.table.contexts.at[context];
	struct count_waiting *waiting = &counter->waiting[counter->n_waiting++];

	waiting->sample = *sample;
	waiting->context = context;
	waiting->part = counter->part;
	waiting->has_stack = !of->is_rest &&
		(!of->is_filtered || counter->request->unwinds_filtered);
	waiting->place = *place;
	waiting->place.space = of->space;
	if (waiting->has_stack)
		recorded_unwinding_add(
			counter->unwinding, &waiting->place, &waiting->sample);
	if (counter->n_waiting == UNWINDING_AT_ONCE)
		unwind_waiting_samples(counter);
}

void count_all(struct counter *counter)
{
	unwind_waiting_samples(counter);
	add_pending_samples(counter);
}

/*
 * Takes a part of the largest sum of periods for SAMPLE and the next samples.
 * Reduces the period of SAMPLE if too little is left.
 */
static void take_period(struct counter *counter, struct sample *sample)
{
	uint64_t need = sample->period - counter->period_left, taken;
	uint64_t left = atomic_load(counter->periods);

	do
		taken = MIN(left, MAX(need, PERIOD_AT_ONCE));
	while (!atomic_compare_exchange_weak(
		counter->periods, &left, left - taken));
	counter->period_left += taken;
	if (sample->period <= counter->period_left)
		return;
	counter->n_excess++;
	sample->period = counter->period_left;
}

/*
 * Counts SAMPLE, whose event, time and position are those of PLACE. The time of
 * SAMPLE itself is that of the counted part of it.
 */
static inline void count_sample_part(struct counter *counter,
	struct sample *sample, const struct recorded_unwinding_place *place)
{
	const struct scan_request *request = counter->request;
	/* All samples of off-CPU time count for one event. */
	uint32_t shown = unlikely(request->offcpu) ? request->offcpu->event
						   : place->event;
	struct sample_totals *totals = &counter->by_event.at[shown];
	uint32_t context;

	context = lookup_sample_context(counter, sample, shown, place->time);
	if (unlikely(request->sample_keys) &&
		!add_sample_keys(
			counter, sample, place->event, place->time, &context))
		return;
	if (unlikely(sample->period > counter->period_left))
		take_period(counter, sample);
	counter->period_left -= sample->period;
	totals->samples += !counter->part.is_continued;
	totals->period += sample->period;
	if (unlikely(counter->unwinding))
		add_waiting_sample(counter, sample, context, place);
	else if (likely(!request->only_unwinds))
		add_pending_sample(counter, sample, context);
}

/*
 * Counts SAMPLE once for each part of its time: a blocked thread that then
 * waits for a CPU has two parts. Parts behind the first one of a state add
 * their time, but no sample.
 */
static void count_time_parts(struct counter *counter,
	const struct sample *sample,
	const struct recorded_unwinding_place *place,
	struct offcpu_parts *parts)
{
	while (offcpu_parts_next(parts)) {
		struct sample part = *sample;

		counter->part = parts->part;
		counter->n_continued += parts->part.is_continued;
		part.time = parts->part.from;
		part.period = parts->part.ns;
		count_sample_part(counter, &part, place);
	}
}

/* After CONTINUED_MAX continued parts, time is no longer cut at quanta. */
static struct offcpu_parts parts_to_count(const struct counter *counter)
{
	bool cuts = counter->request->cuts_quanta &&
		counter->n_continued < CONTINUED_MAX;

	return (struct offcpu_parts){ .offcpu = counter->request->offcpu,
		.quantum_ns =
			cuts ? counter->request->sample_keys->quantum_ns : 0 };
}

static void count_sample_time(struct counter *counter,
	const struct sample *sample,
	const struct recorded_unwinding_place *place)
{
	struct offcpu_parts parts = parts_to_count(counter);

	offcpu_parts_begin(&parts, place->event, sample, &counter->offcpu);
	count_time_parts(counter, sample, place, &parts);
}

void count_switch(struct counter *counter, const struct sample *sample)
{
	const struct scan_request *request = counter->request;
	uint32_t event = request->offcpu->event;
	struct offcpu_parts parts = parts_to_count(counter);

	if (!sample_selection_has_sample(request->selection, event, sample))
		return;
	offcpu_parts_begin_switch(&parts, sample, &counter->offcpu);
	count_time_parts(counter, sample,
		&(struct recorded_unwinding_place){
			.event = event, .time = sample->time },
		&parts);
}

static inline void count_any_sample(struct counter *counter,
	struct sample *sample, uint32_t event, uint64_t position)
{
	const struct scan_request *request = counter->request;
	struct recorded_unwinding_place place = { .event = event,
		.position = position };

	if (!sample_selection_has_sample(request->selection, event, sample))
		return;
	place.time = survey_time(counter->survey, sample->time, position);
	if (unlikely(request->offcpu))
		count_sample_time(counter, sample, &place);
	else
		count_sample_part(counter, sample, &place);
}

void count_sample(struct counter *counter, struct sample *sample,
	uint32_t event, uint64_t position)
{
	count_any_sample(counter, sample, event, position);
}

/*
 * Counts a sample whose user call chain is in a later record, which the survey
 * has read. Pending samples are counted before, because they may use the buffer
 * counter->room.
 */
static void count_deferred_sample(struct counter *counter, struct record record,
	uint32_t event, uint64_t position)
{
	struct sample sample;

	count_all(counter);
	if (deferred_chains_read(&counter->survey->deferred,
		    &counter->layouts[event], &record, &sample, &counter->room))
		count_any_sample(counter, &sample, event, position);
}

static inline void count_record(
	struct counter *counter, const struct record *record, uint64_t position)
{
	uint32_t event = counter->by_event.n > 1
		? (uint32_t)reader_event_of(counter->reader, record)
		: 0;
	struct sample *sample = &counter->sample;

	if (unlikely(!sample_read_next(
		    &counter->layouts[event], record, sample)))
		incomplete_damage_add(&counter->damaged, 1, position);
	else if (unlikely(userchain_is_awaited(sample)))
		count_deferred_sample(counter, *record, event, position);
	else
		count_any_sample(counter, sample, event, position);
}

/* Counts the pending samples at the end, because they borrow from CHUNK. */
void count_chunk(struct counter *counter, const struct reader_chunk *chunk)
{
	struct record record;
	size_t at = 0;

	while (record_at(chunk->data + at, chunk->size - at, false, &record)) {
		__builtin_prefetch(record.data + KIB(4));
		if (likely(record.type == RECORD_SAMPLE))
			count_record(counter, &record, chunk->position + at);
		at += record.size;
	}
	count_all(counter);
}

void count_begin(struct counter *counter)
{
	size_t i;

	counter->layouts = reader_layout(counter->reader, 0);
	if (counter->request->unwinding)
		counter->unwinding = recorded_unwinding_add_thread(
			counter->request->unwinding, false);
	counter->stacks.table.budget = reader_budget(counter->reader);
	counter->stacks.table.keeps_times = counter->request->keeps_times;
	counter->stacks.max_frames = counter->request->max_frames;
	counter->stacks.keeps_callers = counter->request->keeps_callers;
	for (i = 0; i < RECENT_CONTEXTS; i++)
		counter->recent[i].from = UINT64_MAX;
	for (i = 0; i < reader_n_events(counter->reader); i++) {
		counter->has_marks |= frame_origin_is_recorded(
			&reader_event(counter->reader, i)->attr);
		array_push(&counter->by_event);
	}
}

void count_end(struct counter *counter)
{
	if (counter->unwinding)
		truncated_stacks_count(&counter->truncated, counter->unwinding,
			&counter->stacks);
}
