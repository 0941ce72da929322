/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/sideband_order.h"

/*
 * Old state is removed when its weight (maps_weight()) is twice the weight
 * after the last removal, plus FORGET_WEIGHT.
 */
#define FORGET_WEIGHT 32768u
/* Only processes are removed that ended so long before the last .until. */
#define FORGET_NS (10 * NSEC_PER_SEC)
/* Limit of .common: 100,000 BPF programs that are loaded and unloaded. */
#define COMMON_MAX MIB(16)

void sideband_order_init(struct sideband_order *sideband)
{
	*sideband = (struct sideband_order){ .maps = maps_create(),
		.generation = 1 };
}

void sideband_order_deinit(struct sideband_order *sideband)
{
	maps_destroy(sideband->maps);
	array_free(&sideband->pending);
	strbuf_free(&sideband->waiting);
	strbuf_free(&sideband->common);
	sideband_state_deinit(&sideband->state);
}

static int compare_pending(const void *a, const void *b)
{
	const struct sideband_pending *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->at, right->at);
}

static struct record waiting_record(
	const struct sideband_order *sideband, size_t at)
{
	struct record record = { 0 };

	record_at((const uint8_t *)sideband->waiting.at + at,
		sideband->waiting.n - at, false, &record);
	return record;
}

/*
 * Returns true for records of the kernel or of the whole system, which every
 * perf.data file needs.
 */
static bool is_common_record(const struct record *record)
{
	struct record_mmap map;

	switch (record->type) {
	case RECORD_KSYMBOL:
	case RECORD_BPF_EVENT:
	case RECORD_CGROUP: return true;
	case RECORD_MMAP:
		return record_read_mmap(record, &map) &&
			map.pid == MAPS_KERNEL_PID;
	default: return false;
	}
}

static size_t total_weight(const struct sideband_order *sideband)
{
	return maps_weight(sideband->maps) +
		sideband_state_weight(&sideband->state);
}

/*
 * Removes the state of processes that ended long ago. Returns false if nothing
 * was removed. Samples from before .until have been processed.
 */
static bool remove_ended_state(struct sideband_order *sideband)
{
	if (sideband->until < FORGET_NS ||
		total_weight(sideband) < 2 * sideband->weight + FORGET_WEIGHT)
		return false;
	maps_forget(sideband->maps, sideband->until - FORGET_NS);
	sideband_state_forget(&sideband->state, sideband->until - FORGET_NS);
	sideband->weight = total_weight(sideband);
	sideband->generation++;
	sideband->epoch++;
	return true;
}

void sideband_order_add(struct sideband_order *sideband,
	const struct sample_layout *layout, const uint8_t *records, size_t size)
{
	struct record record;
	struct sample_id id;
	size_t at = 0;

	/* RECORDS can be NULL if SIZE is 0. */
	while (at < size &&
		record_at(records + at, size - at, false, &record)) {
		at += record.size;
		if (!sample_id_read(layout, &record, &id))
			continue;
		*array_push(&sideband->pending) =
			(struct sideband_pending){ id.time,
				sideband->waiting.n };
		strbuf_put(&sideband->waiting, record.data, record.size);
	}
}

bool sideband_order_advance(struct sideband_order *sideband, uint64_t until)
{
	bool has_forgotten;
	size_t i;

	array_sort(&sideband->pending, compare_pending);
	for (i = 0; i < sideband->pending.n; i++) {
		const struct sideband_pending *pending =
			&sideband->pending.at[i];
		struct record next;

		if (pending->time > until)
			break;
		next = waiting_record(sideband, pending->at);
		struct record_task task;
		if (is_common_record(&next) &&
			sideband->common.n + next.size <= COMMON_MAX)
			strbuf_put(&sideband->common, next.data, next.size);
		if (next.type == RECORD_EXIT && record_read_task(&next, &task))
			maps_end_thread(sideband->maps, task.pid, task.tid,
				pending->time);
		sideband_state_add_record(
			&sideband->state, &next, pending->time);
		if (sideband->removed)
			removed_events_add_record(sideband->removed, &next);
		if (maps_wants_record(next.type)) {
			maps_add_record(sideband->maps, &next, pending->time);
			sideband->generation++;
		}
	}
	/* Keep the waiting records that are later than UNTIL, in a new buffer. */
	struct strbuf kept = { 0 };
	size_t n = 0;
	for (; i < sideband->pending.n; i++) {
		struct sideband_pending pending = sideband->pending.at[i];
		struct record record = waiting_record(sideband, pending.at);

		pending.at = kept.n;
		strbuf_put(&kept, record.data, record.size);
		sideband->pending.at[n++] = pending;
	}
	sideband->pending.n = n;
	strbuf_free(&sideband->waiting);
	sideband->waiting = kept;
	has_forgotten = until && remove_ended_state(sideband);
	sideband->until = MAX(sideband->until, until);
	return has_forgotten;
}
