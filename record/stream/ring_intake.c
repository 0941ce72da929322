/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/ring_intake.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/queue/deferred.h"
#include "record/queue/queue.h"
#include "record/stream/sample_filter.h"
#include "record/stream/stack_intake.h"

/* The properties of an event that are needed for each record of the event. */
struct intake_event {
	uint64_t id;
	struct sample_layout layout;
	bool is_wide, follows, is_waking;
};

struct intake {
	const struct event_fds *opened;
	struct block_fill blocks;
	struct intake_event *events; /* array of n_events; the sideband event is
					the last element */
	struct recorded_counts counts_at_switch;
	uint32_t n_events, sideband;
	struct recorded_counts counts;
	uint32_t own_pid;
	bool excludes_self;
	uint64_t last_id; /* last argument and result of event_fds_event() */
	uint32_t last_event;
	void (*on_fork)(void *data, const struct record_task *fork);
	void *fork_data;
	struct sample_filter *filter;
	struct inherited_tasks *tasks;
	struct wakeup_filter
		*wakeups;	      /* owned; NULL: wakeups are not sampled */
	struct file_tracker *tracker; /* may be NULL */
	struct stack_intake stacks;
	struct deferred *deferred; /* NULL: call chains are not deferred */
};

static void init_intake_event(struct intake_event *event, uint64_t id,
	const struct perf_event_attr *attr)
{
	event->id = id;
	sample_layout_init(&event->layout, attr);
}

static uint32_t last_online_cpu(const struct event_fds *opened)
{
	uint32_t last = 0;

	array_each(&opened->target->online.list, cpu)
		last = MAX(last, *cpu);
	return last;
}

static void take_completed_sample(
	void *data, const struct perf_event_header *sample);

struct intake *intake_create(struct event_fds *opened, struct queue *queue)
{
	const struct selection *selection = opened->selection;
	struct intake *intake = xcalloc(1, sizeof(*intake));
	uint32_t i;

	intake->opened = opened;
	intake->blocks.queue = queue;
	stack_intake_init(&intake->stacks, &intake->blocks, &intake->counts);
	intake->own_pid = (uint32_t)getpid();
	intake->sideband = (uint32_t)selection->events.n;
	intake->n_events = intake->sideband + 1;
	counts_init(&intake->counts, intake->n_events, last_online_cpu(opened));
	intake->events = xcalloc(intake->n_events, sizeof(*intake->events));
	for (i = 0; i < intake->sideband; i++) {
		const struct selected *selected = &selection->events.at[i];

		init_intake_event(
			&intake->events[i], selected->id, &selected->attr);
		intake->events[i].is_wide = selected->is_wide;
		intake->events[i].follows = selected->follows;
		intake->events[i].is_waking = selected->woken_at;
		if (selected->woken_at)
			intake->wakeups =
				wakeup_filter_create(selected->woken_at);
	}
	init_intake_event(&intake->events[i], opened->sideband_id,
		&opened->sideband_attr);
	if (deferred_is_on(&opened->sideband_attr))
		intake->deferred = deferred_create(
			opened->n_rings, take_completed_sample, intake);
	return intake;
}

void intake_destroy(struct intake *intake)
{
	if (!intake)
		return;
	block_fill_discard(&intake->blocks);
	counts_deinit(&intake->counts);
	deferred_destroy(intake->deferred);
	wakeup_filter_destroy(intake->wakeups);
	free(intake->events);
	counts_deinit(&intake->counts_at_switch);
	free(intake);
}

void intake_set_tracker(struct intake *intake, struct file_tracker *tracker)
{
	intake->tracker = tracker;
}

struct stack_intake *intake_stacks(struct intake *intake)
{
	return &intake->stacks;
}

void intake_exclude_self(struct intake *intake)
{
	intake->excludes_self = true;
}

void intake_begin_round(struct intake *intake, uint64_t until)
{
	intake->blocks.until = until;
}

void intake_end_sideband(struct intake *intake)
{
	if (intake->tasks)
		inherited_tasks_advance(intake->tasks, intake->blocks.until);
}

void intake_flush(struct intake *intake)
{
	block_fill_flush(&intake->blocks);
}

bool intake_try_flush(struct intake *intake)
{
	if (!queue_is_empty(intake->blocks.queue))
		return false;
	intake_flush(intake);
	return true;
}

void intake_switch_file(struct intake *intake)
{
	block_fill_flush(&intake->blocks);
	counts_copy(&intake->counts_at_switch, &intake->counts);
	block_fill_end_file(&intake->blocks);
}

const struct recorded_counts *intake_counts_at_switch(
	const struct intake *intake)
{
	return &intake->counts_at_switch;
}

static uint8_t *put_sideband_record(
	struct intake *intake, const void *record, size_t size, uint64_t time)
{
	file_tracker_add_record(intake->tracker, record);
	return block_fill_put_sideband(&intake->blocks, record, size, time);
}

static uint64_t load_u64(const void *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t load_u32(const void *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t find_event_index(struct intake *intake, uint64_t id)
{
	if (unlikely(id != intake->last_id || !id)) {
		intake->last_id = id;
		intake->last_event = event_fds_event(intake->opened, id);
	}
	return intake->last_event;
}

/*
 * Returns whether a record of TYPE reports a task of the target that left its
 * CPU. SWITCH records are of threads of the target; SWITCH_CPU_WIDE records are
 * of all processes.
 */
static bool shows_blocked_task(const struct intake *intake, uint32_t type)
{
	return type == RECORD_SWITCH ||
		(type == RECORD_SWITCH_CPU_WIDE && !intake->filter &&
			!intake->tasks);
}

static void take_sideband_record(
	struct intake *intake, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	struct record record = { header->type, header->misc, header->size, raw,
		false };
	const struct sample_layout *layout =
		&intake->events[intake->sideband].layout;
	size_t end = header->size, inner = record_id_offset(header->type);
	struct record_task fork;
	uint64_t time;
	uint32_t event;
	uint8_t *copy;

	if (end < RECORD_HEADER_SIZE + layout->trailer_size)
		return;
	/*
	 * The sample_id at the end of a record has the same layout for all
	 * events.
	 */
	event = find_event_index(
		intake, load_u64(raw + end - layout->trailer_id));
	time = load_u64(raw + end - layout->trailer_time);
	copy = put_sideband_record(intake, raw, end, time);
	memcpy(copy + end - layout->trailer_id, &intake->events[event].id, 8);
	if (inner)
		memcpy(copy + inner, &intake->events[event].id, 8);
	counts_add_losses(&intake->counts, event, layout, &record);
	if (intake->filter)
		sample_filter_add_record(intake->filter, &record, time);
	if (intake->tasks)
		inherited_tasks_add_record(intake->tasks, &record, time);
	if (intake->wakeups && shows_blocked_task(intake, header->type))
		wakeup_filter_add(intake->wakeups,
			load_u32(raw + end - layout->trailer_size + 4));
	if (intake->on_fork && header->type == RECORD_FORK &&
		record_read_task(&record, &fork))
		intake->on_fork(intake->fork_data, &fork);
}

static bool is_sample_kept(struct intake *intake, const uint8_t *raw,
	const struct intake_event *event)
{
	const struct sample_layout *layout = &event->layout;
	const struct sampled_task task = {
		.pid = load_u32(raw + layout->tid),
		.tid = load_u32(raw + layout->tid + 4),
		.time = load_u64(raw + layout->time),
	};

	if (event->is_waking)
		return wakeup_filter_accepts(intake->wakeups, layout,
			(const struct perf_event_header *)raw);
	if (intake->tasks && event->is_wide &&
		!inherited_tasks_has(intake->tasks, &task, event->follows))
		return false;
	if (intake->filter &&
		!sample_filter_accepts(
			intake->filter, task.pid, task.tid, task.time))
		return false;
	if (intake->wakeups)
		wakeup_filter_add(intake->wakeups, task.tid);
	return true;
}

static void take_sample_record(
	struct intake *intake, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	uint32_t index = 0;
	const struct intake_event *event;
	const struct sample_layout *layout;
	struct recorded_count *count;
	uint64_t time;
	uint8_t *copy;
	bool is_own;

	if (intake->n_events > 2)
		index = find_event_index(
			intake, load_u64(raw + RECORD_HEADER_SIZE));
	event = &intake->events[index];
	layout = &event->layout;
	/* The CPU is the last field that samples of every event have. */
	if (unlikely(header->size < layout->cpu + 8u))
		return;
	count = counts_at(&intake->counts, index, load_u32(raw + layout->cpu));
	is_own = load_u32(raw + layout->tid) == intake->own_pid;
	if (unlikely(is_own && intake->excludes_self) ||
		((intake->filter || intake->tasks || intake->wakeups) &&
			!is_sample_kept(intake, raw, event))) {
		count_add(&count->left_out, 1);
		return;
	}
	time = load_u64(raw + layout->time);
	copy = stack_intake_put(&intake->stacks, layout, header, time);
	if (unlikely(!copy)) {
		count_add(&count->dropped, 1);
		return;
	}
	memcpy(copy + layout->id, &event->id, 8);
	count_add(&intake->counts.own, is_own);
	count_add(&count->samples, 1);
}

static void take_completed_sample(
	void *data, const struct perf_event_header *sample)
{
	take_sample_record(data, sample);
}

/*
 * Passes samples and call chains to deferred.h. Returns true if the record was
 * taken, so that it is not handled further.
 */
static bool take_deferred_record(
	struct intake *intake, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	const struct intake_event *event = &intake->events[0];

	if (header->type == RECORD_CALLCHAIN_DEFERRED) {
		event = &intake->events[intake->sideband];
		deferred_take_chain(intake->deferred, &event->layout, header);
		return true;
	}
	if (header->type != RECORD_SAMPLE)
		return false;
	if (intake->n_events > 2)
		event = &intake->events[find_event_index(
			intake, load_u64(raw + RECORD_HEADER_SIZE))];
	return deferred_take_sample(intake->deferred, &event->layout, header);
}

void intake_take(struct intake *intake, const struct perf_event_header *header)
{
	if (unlikely(intake->deferred) && take_deferred_record(intake, header))
		return;
	if (header->type == RECORD_SAMPLE)
		take_sample_record(intake, header);
	else
		take_sideband_record(intake, header);
}

void intake_end(struct intake *intake)
{
	if (intake->deferred) {
		deferred_finish(intake->deferred);
		log_verbose(
			"%" PRIu64
			" samples have no user space part of their call chain",
			deferred_unjoined(intake->deferred));
	}
	intake_flush(intake);
}

void intake_take_synthesized(
	struct intake *intake, const struct strbuf *records)
{
	const struct sample_layout *layout =
		&intake->events[intake->sideband].layout;
	const uint8_t *data = (const uint8_t *)records->at;
	struct record record;
	struct sample_id id;
	size_t at = 0;

	/* DATA is NULL if there are no records. */
	while (at < records->n &&
		record_at(data + at, records->n - at, false, &record)) {
		sample_id_read(layout, &record, &id);
		if (intake->filter)
			sample_filter_add_record(
				intake->filter, &record, id.time);
		put_sideband_record(intake, record.data, record.size, id.time);
		at += record.size;
	}
}

bool intake_has_room(const struct intake *intake)
{
	return queue_fill_percent(intake->blocks.queue) < 50;
}

void intake_on_fork(struct intake *intake,
	void (*on_fork)(void *data, const struct record_task *fork), void *data)
{
	intake->on_fork = on_fork;
	intake->fork_data = data;
}

void intake_set_filter(struct intake *intake, struct sample_filter *filter)
{
	intake->filter = filter;
}

void intake_set_target_tasks(
	struct intake *intake, struct inherited_tasks *tasks)
{
	intake->tasks = tasks;
}

const struct recorded_counts *intake_counts(const struct intake *intake)
{
	return &intake->counts;
}

uint64_t intake_own_samples(const struct intake *intake)
{
	return intake->counts.own;
}

uint64_t intake_raw_bytes(const struct intake *intake)
{
	return intake->blocks.raw_bytes;
}
