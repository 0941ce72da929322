/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/time_bins.h"

#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "report/scan/record_visit.h"

/*
 * Lengths of bins, in ns. Each length is a multiple of the previous length, so
 * that bins can be added up.
 */
static const uint64_t bin_lengths[] = {
	NSEC_PER_MSEC,
	5 * NSEC_PER_MSEC,
	10 * NSEC_PER_MSEC,
	50 * NSEC_PER_MSEC,
	100 * NSEC_PER_MSEC,
	500 * NSEC_PER_MSEC,
	NSEC_PER_SEC,
};

/* Bytes of a lane with its index entry. */
#define LANE_COST (2 * sizeof(struct time_bins_lane) + 64u)

struct bin_counting {
	struct result *result;
	struct time_bins *time_bins;
	struct budget *budget;
	bool filters;	      /* samples must be filtered one by one */
	size_t last_lane;     /* number of the lane found last */
	struct sample sample; /* the sample that is counted */
	/* the last context, and its thread */
	struct maps_context context;
	uint32_t context_pid, context_tid;
	struct deferred_room room;
};

static int compare_time_bins(const void *a, const void *b)
{
	const struct time_bin *left = a, *right = b;

	return COMPARE(left->bin, right->bin);
}

static void sort_lane_bins(struct time_bins_lane *lane)
{
	size_t n = 0;

	array_sort(&lane->at, compare_time_bins);
	array_each(&lane->at, moment) {
		if (n && lane->at.at[n - 1].bin == moment->bin)
			lane->at.at[n - 1].count += moment->count;
		else
			lane->at.at[n++] = *moment;
	}
	lane->at.n = lane->sorted = n;
}

static void lengthen_bins(struct time_bins *time_bins)
{
	uint64_t length = 10 * time_bins->bin_ns, ratio;
	size_t i;

	for (i = 0; i + 1 < ARRAY_SIZE(bin_lengths); i++)
		if (bin_lengths[i] == time_bins->bin_ns)
			length = bin_lengths[i + 1];
	ratio = length / time_bins->bin_ns;

	array_each(&time_bins->lanes, lane) {
		array_each(&lane->at, moment)
			moment->bin /= ratio;
		sort_lane_bins(lane);
	}
	time_bins->first /= ratio;
	time_bins->last /= ratio;
	time_bins->bin_ns = length;
}

/* Returns the bin of TIME. Makes all bins longer if there are too many bins. */
static uint64_t find_time_bin(struct time_bins *time_bins, uint64_t time)
{
	uint64_t bin, first, last;

	if (!time_bins->samples++) {
		time_bins->first_time = time_bins->last_time = time;
		time_bins->first = time_bins->last = time / time_bins->bin_ns;
	}
	time_bins->first_time = MIN(time_bins->first_time, time);
	time_bins->last_time = MAX(time_bins->last_time, time);
	if (time - time_bins->found * time_bins->bin_ns < time_bins->bin_ns)
		return time_bins->found;
	for (;;) {
		bin = time / time_bins->bin_ns;
		first = MIN(time_bins->first, bin);
		last = MAX(time_bins->last, bin);
		if (last - first < TIME_BINS_MAX)
			break;
		lengthen_bins(time_bins);
	}
	time_bins->first = first;
	time_bins->last = last;
	return time_bins->found = bin;
}

/*
 * Adds COUNT to BIN of LANE. The last bin is tried first: the samples of a
 * thread are in the order of time, except between blocks of the recording and
 * CPUs.
 */
static void add_to_bin(struct bin_counting *counting,
	struct time_bins_lane *lane, uint64_t bin, uint64_t count)
{
	struct time_bin *last =
		lane->at.n ? &lane->at.at[lane->at.n - 1] : NULL;

	if (last && last->bin == bin) {
		last->count += count;
		return;
	}
	if (lane->at.n - lane->sorted >= TIME_BINS_MAX)
		sort_lane_bins(lane);
	if (lane->at.n < lane->at.room ||
		budget_reserve(
			counting->budget, (lane->at.room ?: 4) * sizeof(*last)))
		*array_push(&lane->at) = (struct time_bin){ bin, count };
}

static bool is_same_lane(
	const struct time_bins_lane *a, const struct time_bins_lane *b)
{
	return a->event == b->event && a->is_rest == b->is_rest &&
		a->state == b->state && !thread_ids_compare(&a->ids, &b->ids);
}

/*
 * Returns the lane of LANE's thread; at the limit of lanes or memory, the
 * shared lane of the event; or NULL if the shared lane cannot be added either.
 */
static struct time_bins_lane *find_thread_lane(
	struct bin_counting *counting, const struct time_bins_lane *lane)
{
	struct time_bins *time_bins = counting->time_bins;
	uint64_t hash;

	if (counting->last_lane < time_bins->lanes.n &&
		is_same_lane(&time_bins->lanes.at[counting->last_lane], lane))
		return &time_bins->lanes.at[counting->last_lane];
	hash = hash_words(thread_ids_hash(&lane->ids),
		(uint64_t)lane->event << 8 | lane->state << 1 | lane->is_rest);
	hash_each_match(&time_bins->by_thread, hash, i)
		if (is_same_lane(&time_bins->lanes.at[i], lane)) {
			counting->last_lane = i;
			return &time_bins->lanes.at[i];
		}
	size_t most =
		lane->is_rest ? 2 * TIME_BINS_LANES_MAX : TIME_BINS_LANES_MAX;

	if (counting->time_bins->lanes.n < most &&
		budget_reserve(counting->budget, LANE_COST)) {
		hash_insert(&time_bins->by_thread, hash,
			(uint32_t)time_bins->lanes.n);
		*array_push(&time_bins->lanes) = *lane;
		return &time_bins->lanes.at[time_bins->lanes.n - 1];
	}
	if (lane->is_rest)
		return NULL;
	return find_thread_lane(counting,
		&(struct time_bins_lane){ .event = lane->event,
			.state = lane->state,
			.is_rest = true });
}

/* Adds a sample at TIME to the lane of LANE's thread. */
static void add_sample_to_bins(struct bin_counting *counting,
	const struct time_bins_lane *lane, uint64_t time)
{
	uint64_t bin = find_time_bin(counting->time_bins, time);
	struct time_bins_lane *found = find_thread_lane(counting, lane);

	if (found)
		add_to_bin(counting, found, bin, 1);
}

static bool passes_bin_filter(const struct bin_counting *counting, size_t event,
	const struct sample *sample, const struct maps_context *at)
{
	if (!counting->filters)
		return sample_selection_has_sample(
			&result_input(counting->result)->selection, event,
			sample);
	return result_wants_sample(counting->result, event, sample, at);
}

/* Returns the context of SAMPLE's thread, valid until the next call. */
static const struct maps_context *find_bin_context(
	struct bin_counting *counting, const struct sample *sample)
{
	struct maps_context *at = &counting->context;

	if (sample->pid != counting->context_pid ||
		sample->tid != counting->context_tid ||
		sample->time < at->valid_from ||
		sample->time >= at->valid_until)
		*at = maps_context(result_input(counting->result)->survey.maps,
			sample->pid, sample->tid, sample->time);
	counting->context_pid = sample->pid;
	counting->context_tid = sample->tid;
	return at;
}

/* Returns the nanoseconds of PART until TIME, which is in its span. */
static uint64_t ns_of_part_until(const struct offcpu_part *part, uint64_t time)
{
	return (uint64_t)((unsigned __int128)part->ns * (time - part->from) /
		part->span);
}

/*
 * Adds PART, a time range off-CPU, in ns to the bins of the thread's lane. LANE
 * has the event, the thread and the state.
 */
static void add_part_to_bins(struct bin_counting *counting,
	const struct time_bins_lane *lane, const struct offcpu_part *part)
{
	struct time_bins *time_bins = counting->time_bins;
	uint64_t until = part->from + part->span, bin, last;
	struct time_bins_lane *found;

	/* Make bins long enough for the part before counting. */
	find_time_bin(time_bins, part->from);
	find_time_bin(time_bins, until);
	if (!part->span)
		return;
	found = find_thread_lane(counting, lane);
	bin = part->from / time_bins->bin_ns;
	last = (until - 1) / time_bins->bin_ns;
	for (; found && bin <= last; bin++) {
		uint64_t first = MAX(part->from, bin * time_bins->bin_ns);
		/* The end of the last bin can exceed the largest time. */
		uint64_t end =
			bin == last ? until : (bin + 1) * time_bins->bin_ns;

		add_to_bin(counting, found, bin,
			ns_of_part_until(part, end) -
				ns_of_part_until(part, first));
	}
}

/*
 * Counts PARTS of a sample of the thread IDS, as dwell report counts time: a
 * part on a CPU as one sample.
 */
static void count_parts_in_bins(struct bin_counting *counting,
	struct offcpu_parts *parts, struct thread_ids ids)
{
	const struct input *input = result_input(counting->result);
	struct time_bins_lane lane = {
		.event = input->events.at[input->offcpu.event],
		.ids = ids,
	};

	while (offcpu_parts_next(parts)) {
		lane.state = parts->part.state;
		if (lane.state == OFFCPU_STATE_ON)
			add_sample_to_bins(counting, &lane, parts->part.from);
		else
			add_part_to_bins(counting, &lane, &parts->part);
	}
}

static void count_bin_sample(
	struct bin_counting *counting, struct record *record)
{
	const struct input *input = result_input(counting->result);
	size_t event = reader_event_of(input->reader, record);
	const struct offcpu *offcpu = &input->offcpu;
	bool counts_time = counting->result->options->time.counted;
	const struct sample_layout *layout =
		reader_layout(input->reader, event);
	struct sample *sample = &counting->sample;
	struct offcpu_parts parts = { .offcpu = offcpu };
	struct offcpu_counts counts = { { 0 } };
	const struct maps_context *at;

	if (counts_time && event != offcpu->clock && event != offcpu->stacks)
		return;
	if (!sample_read_next(layout, record, sample))
		return;
	if (unlikely(userchain_is_awaited(sample)) &&
		!deferred_chains_read(&input->survey.deferred, layout, record,
			sample, &counting->room))
		return;
	at = find_bin_context(counting, sample);
	if (!passes_bin_filter(counting, event, sample, at))
		return;
	cardinality_add_sample(&counting->time_bins->cardinality, sample);
	if (!counts_time) {
		add_sample_to_bins(counting,
			&(struct time_bins_lane){
				.event = input->events.at[event],
				.ids = thread_ids_of(sample, at) },
			sample->time);
		return;
	}
	offcpu_parts_begin(&parts, (uint32_t)event, sample, &counts);
	count_parts_in_bins(counting, &parts, thread_ids_of(sample, at));
}

/*
 * Counts the off-CPU time after a context switch for which there is no sample.
 */
static void count_unsampled_switch(void *data, const struct switch_record *out)
{
	struct bin_counting *counting = data;
	const struct offcpu *offcpu = &result_input(counting->result)->offcpu;
	const struct sample sample = { .pid = out->pid,
		.tid = out->tid,
		.cpu = out->cpu,
		.time = out->time };
	const struct maps_context *at = find_bin_context(counting, &sample);
	struct offcpu_parts parts = { .offcpu = offcpu };
	struct offcpu_counts counts = { { 0 } };

	if (!passes_bin_filter(counting, offcpu->event, &sample, at))
		return;
	offcpu_parts_begin_switch(&parts, &sample, &counts);
	count_parts_in_bins(counting, &parts, thread_ids_of(&sample, at));
}

static bool has_too_many_bins(const struct time_bins *time_bins)
{
	size_t n = 0;

	array_each(&time_bins->lanes, lane)
		n += lane->at.n;
	return n > TIME_BINS_TOTAL_MAX && time_bins->last > time_bins->first;
}

void time_bins_count(struct result *result, struct time_bins *ret)
{
	const struct filter *filter = &result->options->filter;
	/* .room is too large for a small stack (ulimit -s). */
	_cleanup_free_ struct bin_counting *counting =
		xcalloc(1, sizeof(*counting));
	const struct input *input = result_input(result);
	const struct offcpu *offcpu = &input->offcpu;
	struct record_visit visit = { .reader = input->reader,
		.type = RECORD_SAMPLE,
		.selection = &input->selection,
		.progress = "reading sample times" };

	counting->result = result;
	counting->time_bins = ret;
	counting->budget = reader_budget(input->reader);
	counting->filters = filter_needs_code(filter) ||
		filter->comms.names.n || filter->pids.numbers.n ||
		filter->tids.numbers.n;
	*ret = (struct time_bins){ .bin_ns = bin_lengths[0] };
	while (record_visit_next(&visit))
		count_bin_sample(counting, &visit.record);
	if (result->options->time.counted && offcpu->stacks == OFFCPU_NO_EVENT)
		switches_each(
			offcpu->switches, count_unsampled_switch, counting);
	array_each(&ret->lanes, lane)
		sort_lane_bins(lane);
	while (has_too_many_bins(ret))
		lengthen_bins(ret);
}

void time_bins_deinit(struct time_bins *time_bins)
{
	array_each(&time_bins->lanes, lane)
		array_free(&lane->at);
	array_free(&time_bins->lanes);
	hash_free(&time_bins->by_thread);
	cardinality_deinit(&time_bins->cardinality);
}
