/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/sideband_order.h"

/* Spaces are forgotten when so much (maps_weight()) has come to them, */
#define FORGET_WEIGHT 32768u
/* and they ended this long before what samples can still ask for. */
#define FORGET_NS (10 * NSEC_PER_SEC)
/* Enough for 100,000 BPF programs that come and go. */
#define COMMON_MAX MIB(16)

void replay_init(struct replay *replay)
{
	*replay = (struct replay){ .maps = maps_create(), .generation = 1 };
}

void replay_deinit(struct replay *replay)
{
	maps_destroy(replay->maps);
	array_free(&replay->pending);
	strbuf_free(&replay->waiting);
	strbuf_free(&replay->common);
	told_deinit(&replay->told);
}

static int compare_pending(const void *a, const void *b)
{
	const struct pending *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->at, right->at);
}

static struct record waiting_record(const struct replay *replay, size_t at)
{
	struct record record = { 0 };

	record_at((const uint8_t *)replay->waiting.at + at,
		replay->waiting.n - at, false, &record);
	return record;
}

/* What is too new stays, at the start of a buffer of its own. */
static void keep_from(struct replay *replay, size_t first)
{
	struct strbuf kept = { 0 };
	size_t i, n = 0;

	for (i = first; i < replay->pending.n; i++) {
		struct pending pending = replay->pending.at[i];
		struct record record = waiting_record(replay, pending.at);

		pending.at = kept.n;
		strbuf_put(&kept, record.data, record.size);
		replay->pending.at[n++] = pending;
	}
	replay->pending.n = n;
	strbuf_free(&replay->waiting);
	replay->waiting = kept;
}

/* Of the kernel or the whole system: every file needs them. */
static bool is_common(const struct record *record)
{
	struct record_mmap map;

	switch (record->type) {
	case RECORD_KSYMBOL:
	case RECORD_BPF_EVENT:
	case RECORD_CGROUP:
		return true;
	case RECORD_MMAP:
		return record_read_mmap(record, &map) &&
			map.pid == MAPS_KERNEL_PID;
	default:
		return false;
	}
}

static void take_in_order(
	struct replay *replay, const struct record *record, uint64_t time)
{
	struct record_task task;

	if (is_common(record) && replay->common.n + record->size <= COMMON_MAX)
		strbuf_put(&replay->common, record->data, record->size);
	if (record->type == RECORD_EXIT && record_read_task(record, &task))
		maps_end_thread(replay->maps, task.pid, task.tid, time);
	told_see(&replay->told, record, time);
	if (!maps_wants_record(record->type))
		return;
	maps_add_record(replay->maps, record, time);
	replay->generation++;
}

static size_t weigh(const struct replay *replay)
{
	return maps_weight(replay->maps) + told_weight(&replay->told);
}

/* All samples from before the last time are through. */
static bool forget_the_dead(struct replay *replay)
{
	if (replay->until < FORGET_NS ||
		weigh(replay) < 2 * replay->weight + FORGET_WEIGHT)
		return false;
	maps_forget(replay->maps, replay->until - FORGET_NS);
	told_forget(&replay->told, replay->until - FORGET_NS);
	replay->weight = weigh(replay);
	replay->generation++;
	replay->epoch++;
	return true;
}

void replay_add(struct replay *replay, const struct sample_layout *layout,
	const uint8_t *records, size_t size)
{
	struct record record;
	struct sample_id id;
	size_t at = 0;

	/* Without records, RECORDS can be NULL. */
	while (at < size &&
		record_at(records + at, size - at, false, &record)) {
		at += record.size;
		if (!sample_id_read(layout, &record, &id))
			continue;
		*array_push(&replay->pending) =
			(struct pending){ id.time, replay->waiting.n };
		strbuf_put(&replay->waiting, record.data, record.size);
	}
}

bool replay_until(struct replay *replay, uint64_t until)
{
	bool has_forgotten;
	size_t i;

	array_sort(&replay->pending, compare_pending);
	for (i = 0; i < replay->pending.n; i++) {
		const struct pending *pending = &replay->pending.at[i];
		struct record next;

		if (pending->time > until)
			break;
		next = waiting_record(replay, pending->at);
		take_in_order(replay, &next, pending->time);
	}
	keep_from(replay, i);
	has_forgotten = until && forget_the_dead(replay);
	replay->until = MAX(replay->until, until);
	return has_forgotten;
}
