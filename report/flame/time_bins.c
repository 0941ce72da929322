/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/time_bins.h"

#include "common/util/alloc.h"
#include "report/util/progress.h"

/* Each a multiple of the one before, so that bins can be added up. */
static const uint64_t lengths[] = {
	NSEC_PER_MSEC,
	5 * NSEC_PER_MSEC,
	10 * NSEC_PER_MSEC,
	50 * NSEC_PER_MSEC,
	100 * NSEC_PER_MSEC,
	500 * NSEC_PER_MSEC,
	NSEC_PER_SEC,
};

/* With its place in the index. */
#define LANE_COST (2 * sizeof(struct moments_lane) + 64u)

struct counting {
	struct result *result;
	struct moments *moments;
	bool asks; /* whether each sample is wanted */
	struct late_room room;
};

static uint64_t next_length(uint64_t length)
{
	size_t i;

	for (i = 0; i + 1 < ARRAY_SIZE(lengths); i++)
		if (lengths[i] == length)
			return lengths[i + 1];
	return 10 * length;
}

static int compare_moments(const void *a, const void *b)
{
	const struct moment *left = a, *right = b;

	return COMPARE(left->bin, right->bin);
}

static void sort_lane(struct moments_lane *lane)
{
	size_t n = 0;

	array_sort(&lane->at, compare_moments);
	array_each(&lane->at, moment) {
		if (n && lane->at.at[n - 1].bin == moment->bin)
			lane->at.at[n - 1].count += moment->count;
		else
			lane->at.at[n++] = *moment;
	}
	lane->at.n = lane->sorted = n;
}

static void lengthen(struct moments *moments)
{
	uint64_t length = next_length(moments->bin_ns);
	uint64_t ratio = length / moments->bin_ns;

	array_each(&moments->lanes, lane) {
		array_each(&lane->at, moment)
			moment->bin /= ratio;
		sort_lane(lane);
	}
	moments->first /= ratio;
	moments->last /= ratio;
	moments->bin_ns = length;
}

/* The bin of TIME, for which there is a place then. */
static uint64_t take_time(struct moments *moments, uint64_t time)
{
	uint64_t bin, first, last;

	if (!moments->samples++) {
		moments->first_time = moments->last_time = time;
		moments->first = moments->last = time / moments->bin_ns;
	}
	moments->first_time = MIN(moments->first_time, time);
	moments->last_time = MAX(moments->last_time, time);
	for (;;) {
		bin = time / moments->bin_ns;
		first = MIN(moments->first, bin);
		last = MAX(moments->last, bin);
		if (last - first < MOMENTS_BINS)
			break;
		lengthen(moments);
	}
	moments->first = first;
	moments->last = last;
	return bin;
}

static bool affords(const struct counting *counting, uint64_t cost)
{
	return reader_affords(result_input(counting->result)->reader, cost);
}

static bool affords_lane(const struct counting *counting, bool is_rest)
{
	size_t most = is_rest ? 2 * MOMENTS_LANES_MAX : MOMENTS_LANES_MAX;

	return counting->moments->lanes.n < most &&
		affords(counting, LANE_COST);
}

static struct moments_lane *add_lane(
	struct moments *moments, const struct moments_lane *lane, uint64_t hash)
{
	hash_insert(&moments->by_thread, hash, (uint32_t)moments->lanes.n);
	*array_push(&moments->lanes) = *lane;
	return &moments->lanes.at[moments->lanes.n - 1];
}

/* Threads' samples come in the order of time, but for blocks and CPUs. */
static void add_moment(struct counting *counting, struct moments_lane *lane,
	uint64_t bin, uint64_t count)
{
	struct moment *last = lane->at.n ? &lane->at.at[lane->at.n - 1] : NULL;

	if (last && last->bin == bin) {
		last->count += count;
		return;
	}
	if (lane->at.n - lane->sorted >= MOMENTS_BINS)
		sort_lane(lane);
	if (lane->at.n < lane->at.room ||
		affords(counting, (lane->at.room ?: 4) * sizeof(*last)))
		*array_push(&lane->at) = (struct moment){ bin, count };
}

static bool is_same(const struct moments_lane *a, const struct moments_lane *b)
{
	return a->event == b->event && a->pid == b->pid && a->tid == b->tid &&
		a->is_rest == b->is_rest && a->state == b->state;
}

/* What has no place is in the lane of all such; NULL: not even that has one. */
static struct moments_lane *find_lane(
	struct counting *counting, const struct moments_lane *lane)
{
	struct moments *moments = counting->moments;
	uint64_t hash = hash_words((uint64_t)lane->pid << 32 | lane->tid,
		(uint64_t)lane->event << 8 | lane->state << 1 | lane->is_rest);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&moments->by_thread, hash, &probe)) != HASH_NONE)
		if (is_same(&moments->lanes.at[i], lane))
			return &moments->lanes.at[i];
	if (affords_lane(counting, lane->is_rest))
		return add_lane(moments, lane, hash);
	if (lane->is_rest)
		return NULL;
	return find_lane(counting,
		&(struct moments_lane){ .event = lane->event,
			.state = lane->state,
			.is_rest = true });
}

static bool is_wanted(const struct counting *counting, size_t event,
	const struct sample *sample)
{
	const struct input *input = result_input(counting->result);
	struct maps_context at;

	if (!counting->asks)
		return pick_has_sample(&input->pick, event, sample);
	at = maps_context(
		input->survey.maps, sample->pid, sample->tid, sample->time);
	return result_wants_sample(counting->result, event, sample, &at);
}

/* PART of a thread's time, in nanoseconds of each bin. */
static void add_span(struct counting *counting, struct moments_lane lane,
	const struct offcpu_part *part)
{
	const struct moments *moments = counting->moments;
	uint64_t until = part->from + part->ns;
	uint64_t bin = part->from / moments->bin_ns;
	struct moments_lane *found;

	if (!part->ns)
		return;
	lane.state = part->state;
	found = find_lane(counting, &lane);
	for (; found && bin * moments->bin_ns < until; bin++) {
		uint64_t first = MAX(part->from, bin * moments->bin_ns);
		uint64_t end = MIN(until, (bin + 1) * moments->bin_ns);

		add_moment(counting, found, bin, end - first);
	}
}

/* What the switch that SAMPLE tells of began: what a report counts of it. */
static void count_switch(struct counting *counting, const struct sample *sample)
{
	const struct input *input = result_input(counting->result);
	const struct offcpu *offcpu = &input->offcpu;
	const struct moments_lane lane = {
		.event = input->events.at[offcpu->event],
		.pid = sample->pid,
		.tid = sample->tid,
	};
	struct offcpu_counts counts = { { 0 } };
	struct offcpu_part parts[OFFCPU_PARTS];
	size_t n = offcpu_put_switch(offcpu, sample, &counts, parts), i;

	/* Bins are long enough for all before any is counted. */
	for (i = 0; i < n; i++) {
		take_time(counting->moments, parts[i].from);
		take_time(counting->moments, parts[i].from + parts[i].ns);
	}
	for (i = 0; i < n; i++)
		add_span(counting, lane, &parts[i]);
}

static void count_sample(struct counting *counting, struct record *record)
{
	const struct input *input = result_input(counting->result);
	size_t event = reader_event_of(input->reader, record);
	const struct offcpu *offcpu = &input->offcpu;
	bool counts_time = counting->result->options->time;
	struct moments_lane *lane;
	struct sample sample;
	uint64_t bin;

	if (counts_time && event != offcpu->clock && event != offcpu->stacks)
		return;
	if (!late_read(&input->survey.late, reader_layout(input->reader, event),
		    record, &sample, &counting->room) ||
		!is_wanted(counting, event, &sample))
		return;
	variety_see(&counting->moments->variety, &sample);
	if (counts_time && event != offcpu->clock) {
		count_switch(counting, &sample);
		return;
	}
	bin = take_time(counting->moments, sample.time);
	lane = find_lane(counting,
		&(struct moments_lane){
			.event = input->events.at[counts_time ? offcpu->event
							      : event],
			.pid = sample.pid,
			.tid = sample.tid });
	if (lane)
		add_moment(counting, lane, bin, 1);
}

/* Where no samples of switches could be taken. */
static void see_switch(void *data, const struct switch_record *out)
{
	struct counting *counting = data;
	const struct sample sample = { .pid = out->pid,
		.tid = out->tid,
		.cpu = out->cpu,
		.time = out->time };

	if (is_wanted(counting, result_input(counting->result)->offcpu.event,
		    &sample))
		count_switch(counting, &sample);
}

static void count_extent(struct counting *counting, struct cursor *cursor,
	const struct extent *extent)
{
	struct chunk chunk;

	if (!pick_has_extent(&result_input(counting->result)->pick, extent))
		return;
	cursor_load(cursor, extent);
	while (cursor_next(cursor, &chunk) == 0) {
		struct record record;
		size_t at = 0;

		while (record_at(
			chunk.data + at, chunk.size - at, false, &record)) {
			at += record.size;
			if (record.type == RECORD_SAMPLE)
				count_sample(counting, &record);
		}
	}
}

static bool has_too_many(const struct moments *moments)
{
	size_t n = 0;

	array_each(&moments->lanes, lane)
		n += lane->at.n;
	return n > MOMENTS_MAX && moments->last > moments->first;
}

void moments_count(struct result *result, struct moments *ret)
{
	const struct filter *filter = &result->options->filter;
	struct counting counting = { .result = result,
		.moments = ret,
		.asks = filter_asks_code(filter) || filter->comms.names.n ||
			filter->pids.numbers.n || filter->tids.numbers.n };
	const struct offcpu *offcpu = &result_input(result)->offcpu;
	struct reader *reader = result_input(result)->reader;
	struct cursor *cursor = cursor_create(reader);
	size_t n = reader_n_extents(reader), i;

	*ret = (struct moments){ .bin_ns = lengths[0] };
	for (i = 0; i < n; i++) {
		progress_show("looking at times", i, n);
		count_extent(&counting, cursor, reader_extent(reader, i));
	}
	if (result->options->time && offcpu->stacks == OFFCPU_NO_EVENT)
		switches_each(offcpu->switches, see_switch, &counting);
	array_each(&ret->lanes, lane)
		sort_lane(lane);
	while (has_too_many(ret))
		lengthen(ret);
	progress_clear();
	cursor_destroy(cursor);
}

void moments_deinit(struct moments *moments)
{
	array_each(&moments->lanes, lane)
		array_free(&lane->at);
	array_free(&moments->lanes);
	hash_free(&moments->by_thread);
	variety_deinit(&moments->variety);
}
