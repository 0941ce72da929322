/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/ring_intake.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/queue/block_fill.h"
#include "record/queue/deferred.h"
#include "record/stream/copying.h"
#include "record/stream/wakeup_filter.h"

/* An event as its records are taken. */
struct taken_event {
	uint64_t id;
	struct sample_layout layout;
	bool is_wide, follows, is_waking;
};

struct intake {
	const struct opened *opened;
	struct filling filling;
	struct taken_event *events; /* sideband last */
	struct counts turned;
	uint32_t n_events, sideband;
	struct counts counts;
	uint32_t own_pid;
	bool leaves_out_own;
	uint64_t last_id; /* opened_event()'s last question and answer */
	uint32_t last_event;
	void (*see)(void *data, const struct record_task *fork);
	void *see_data;
	struct sieve *sieve;
	struct kin *kin;
	struct leavers *leavers; /* owned; NULL: wakings aren't sampled */
	struct keeper *keeper; /* may be NULL */
	struct copying copying;
	struct deferred *deferred; /* NULL: callchains come whole */
};

static void init_event(struct taken_event *event, uint64_t id,
	const struct perf_event_attr *attr)
{
	event->id = id;
	sample_layout_init(&event->layout, attr);
}

static uint32_t last_cpu(const struct opened *opened)
{
	uint32_t last = 0;

	array_each(&opened->target->online.list, cpu)
		last = MAX(last, *cpu);
	return last;
}

static void take_joined(void *data, const struct perf_event_header *sample);

struct intake *intake_create(struct opened *opened, struct queue *queue)
{
	const struct selection *selection = opened->selection;
	struct intake *intake = xcalloc(1, sizeof(*intake));
	uint32_t i;

	intake->opened = opened;
	intake->filling.queue = queue;
	copying_init(&intake->copying, &intake->filling, &intake->counts);
	intake->own_pid = (uint32_t)getpid();
	intake->sideband = (uint32_t)selection->events.n;
	intake->n_events = intake->sideband + 1;
	counts_init(&intake->counts, intake->n_events, last_cpu(opened));
	intake->events = xcalloc(intake->n_events, sizeof(*intake->events));
	for (i = 0; i < intake->sideband; i++) {
		const struct selected *selected = &selection->events.at[i];

		init_event(&intake->events[i], selected->id, &selected->attr);
		intake->events[i].is_wide = selected->is_wide;
		intake->events[i].follows = selected->follows;
		intake->events[i].is_waking = selected->woken_at;
		if (selected->woken_at)
			intake->leavers = leavers_create(selected->woken_at);
	}
	init_event(&intake->events[i], opened->sideband_id,
		&opened->sideband_attr);
	if (deferred_is_on(&opened->sideband_attr))
		intake->deferred =
			deferred_create(opened->n_rings, take_joined, intake);
	return intake;
}

void intake_destroy(struct intake *intake)
{
	if (!intake)
		return;
	filling_discard(&intake->filling);
	counts_deinit(&intake->counts);
	deferred_destroy(intake->deferred);
	leavers_destroy(intake->leavers);
	free(intake->events);
	counts_deinit(&intake->turned);
	free(intake);
}

void intake_tell(struct intake *intake, struct keeper *keeper)
{
	intake->keeper = keeper;
}

struct copying *intake_copying(struct intake *intake)
{
	return &intake->copying;
}

void intake_leave_out_own(struct intake *intake)
{
	intake->leaves_out_own = true;
}

void intake_begin(struct intake *intake, uint64_t until)
{
	intake->filling.until = until;
}

void intake_settle(struct intake *intake)
{
	if (intake->kin)
		kin_settle(intake->kin, intake->filling.until);
}

void intake_flush(struct intake *intake)
{
	filling_flush(&intake->filling);
}

bool intake_try_flush(struct intake *intake)
{
	if (!queue_is_empty(intake->filling.queue))
		return false;
	intake_flush(intake);
	return true;
}

void intake_turn(struct intake *intake)
{
	filling_flush(&intake->filling);
	counts_copy(&intake->turned, &intake->counts);
	filling_end_file(&intake->filling);
}

const struct counts *intake_turned(const struct intake *intake)
{
	return &intake->turned;
}

static uint8_t *put_sideband(struct intake *intake, const void *record,
	size_t size, uint64_t time)
{
	keeper_put(intake->keeper, record);
	return filling_put_sideband(&intake->filling, record, size, time);
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

static uint32_t event_of(struct intake *intake, uint64_t id)
{
	if (unlikely(id != intake->last_id || !id)) {
		intake->last_id = id;
		intake->last_event = opened_event(intake->opened, id);
	}
	return intake->last_event;
}

/* Of threads it is theirs; of CPUs it is everybody's. */
static bool may_be_woken(const struct intake *intake, uint32_t type)
{
	return type == RECORD_SWITCH ||
		(type == RECORD_SWITCH_CPU_WIDE && !intake->sieve &&
			!intake->kin);
}

static void take_sideband(
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
	/* All events have the same trailer. */
	event = event_of(intake, load_u64(raw + end - layout->trailer_id));
	time = load_u64(raw + end - layout->trailer_time);
	copy = put_sideband(intake, raw, end, time);
	memcpy(copy + end - layout->trailer_id, &intake->events[event].id, 8);
	if (inner)
		memcpy(copy + inner, &intake->events[event].id, 8);
	counts_see(&intake->counts, event, layout, &record);
	if (intake->sieve)
		sieve_see(intake->sieve, &record, time);
	if (intake->kin)
		kin_see(intake->kin, &record, time);
	if (intake->leavers && may_be_woken(intake, header->type))
		leavers_add(intake->leavers,
			load_u32(raw + end - layout->trailer_size + 4));
	if (intake->see && header->type == RECORD_FORK &&
		record_read_task(&record, &fork))
		intake->see(intake->see_data, &fork);
}

static bool is_kept(struct intake *intake, const uint8_t *raw,
	const struct taken_event *event)
{
	const struct sample_layout *layout = &event->layout;
	const struct kin_task task = {
		.pid = load_u32(raw + layout->tid),
		.tid = load_u32(raw + layout->tid + 4),
		.time = load_u64(raw + layout->time),
	};

	if (event->is_waking)
		return leavers_have(intake->leavers, layout,
			(const struct perf_event_header *)raw);
	if (intake->kin && event->is_wide &&
		!kin_has(intake->kin, &task, event->follows))
		return false;
	if (intake->sieve &&
		!sieve_keeps(intake->sieve, task.pid, task.tid, task.time))
		return false;
	if (intake->leavers)
		leavers_add(intake->leavers, task.tid);
	return true;
}

static void take_sample(
	struct intake *intake, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	uint32_t index = 0;
	const struct taken_event *event;
	const struct sample_layout *layout;
	struct count *count;
	uint64_t time;
	uint8_t *copy;
	bool is_own;

	if (intake->n_events > 2)
		index = event_of(intake, load_u64(raw + RECORD_HEADER_SIZE));
	event = &intake->events[index];
	layout = &event->layout;
	/* The last of the fields that every event has. */
	if (unlikely(header->size < layout->cpu + 8u))
		return;
	is_own = load_u32(raw + layout->tid) == intake->own_pid;
	if (unlikely(is_own && intake->leaves_out_own))
		return;
	if ((intake->sieve || intake->kin || intake->leavers) &&
		!is_kept(intake, raw, event))
		return;
	count = counts_at(&intake->counts, index, load_u32(raw + layout->cpu));
	time = load_u64(raw + layout->time);
	copy = copying_put(&intake->copying, layout, header, time);
	if (unlikely(!copy)) {
		count_add(&count->dropped, 1);
		return;
	}
	memcpy(copy + layout->id, &event->id, 8);
	count_add(&intake->counts.own, is_own);
	count_add(&count->samples, 1);
}

static void take_joined(void *data, const struct perf_event_header *sample)
{
	take_sample(data, sample);
}

/* True: nothing else is to be done. */
static bool take_deferred(
	struct intake *intake, const struct perf_event_header *header)
{
	const uint8_t *raw = (const uint8_t *)header;
	const struct taken_event *event = &intake->events[0];

	if (header->type == RECORD_CALLCHAIN_DEFERRED) {
		event = &intake->events[intake->sideband];
		deferred_take_chain(intake->deferred, &event->layout, header);
		return true;
	}
	if (header->type != RECORD_SAMPLE)
		return false;
	if (intake->n_events > 2)
		event = &intake->events[event_of(
			intake, load_u64(raw + RECORD_HEADER_SIZE))];
	return deferred_take_sample(intake->deferred, &event->layout, header);
}

void intake_take(struct intake *intake, const struct perf_event_header *header)
{
	if (unlikely(intake->deferred) && take_deferred(intake, header))
		return;
	if (header->type == RECORD_SAMPLE)
		take_sample(intake, header);
	else
		take_sideband(intake, header);
}

void intake_end(struct intake *intake)
{
	if (intake->deferred) {
		deferred_finish(intake->deferred);
		log_verbose("%" PRIu64 " samples lack the user's part of their "
			    "call chain",
			deferred_unjoined(intake->deferred));
	}
	intake_flush(intake);
}

void intake_take_own(struct intake *intake, const struct strbuf *records)
{
	const struct sample_layout *layout =
		&intake->events[intake->sideband].layout;
	const uint8_t *data = (const uint8_t *)records->at;
	struct record record;
	struct sample_id id;
	size_t at = 0;

	/* Without records, DATA is NULL. */
	while (at < records->n &&
		record_at(data + at, records->n - at, false, &record)) {
		sample_id_read(layout, &record, &id);
		if (intake->sieve)
			sieve_see(intake->sieve, &record, id.time);
		put_sideband(intake, record.data, record.size, id.time);
		at += record.size;
	}
}

bool intake_has_room(const struct intake *intake)
{
	return queue_fill_percent(intake->filling.queue) < 50;
}

void intake_watch(struct intake *intake,
	void (*see)(void *data, const struct record_task *fork), void *data)
{
	intake->see = see;
	intake->see_data = data;
}

void intake_use(struct intake *intake, struct sieve *sieve)
{
	intake->sieve = sieve;
}

void intake_follow(struct intake *intake, struct kin *kin)
{
	intake->kin = kin;
}

const struct counts *intake_counts(const struct intake *intake)
{
	return &intake->counts;
}

uint64_t intake_own_samples(const struct intake *intake)
{
	return intake->counts.own;
}

uint64_t intake_raw_bytes(const struct intake *intake)
{
	return intake->filling.raw_bytes;
}
