/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/sideband_state.h"

/* The unit of maps_weight(), in bytes. */
#define WEIGHT_UNIT 40u

static struct told_thread *find(const struct told *told, uint32_t tid)
{
	uint64_t hash = hash_words(tid, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&told->by_tid, hash, &probe)) != HASH_NONE)
		if (told->threads.at[i].tid == tid)
			return &told->threads.at[i];
	return NULL;
}

static struct told_thread *add(struct told *told, uint32_t tid)
{
	hash_insert(&told->by_tid, hash_words(tid, 0),
		(uint32_t)told->threads.n);
	return array_push(&told->threads);
}

/* linux/perf_event.h, PERF_RECORD_NAMESPACES: two ids, a count, pairs. */
static void see_namespaces(struct told *told, const struct record *record)
{
	struct bytes payload = record_payload(record);
	struct told_thread new = { .pid = bytes_u32(&payload) };
	struct told_thread *thread;
	uint64_t n;

	new.tid = bytes_u32(&payload);
	n = bytes_u64(&payload);
	if (!payload.ok || n > TOLD_NAMESPACES_MAX ||
		record->size < RECORD_HEADER_SIZE + 16 + 16 * n)
		return;
	new.size = (uint32_t)(16 + 16 * n);
	memcpy(new.payload, record->data + RECORD_HEADER_SIZE, new.size);
	thread = find(told, new.tid);
	*(thread ? thread : add(told, new.tid)) = new;
}

static void see_exit(
	struct told *told, const struct record *record, uint64_t time)
{
	struct record_task task;
	struct told_thread *thread;

	if (!record_read_task(record, &task))
		return;
	thread = find(told, task.tid);
	if (thread)
		thread->ended = time;
	if (told->data)
		maps_end_thread(told->data, task.pid, task.tid, time);
}

static void see_data(
	struct told *told, const struct record *record, uint64_t time)
{
	struct record_mmap map;

	if (told->data && record_read_mmap(record, &map))
		maps_add_mmap(told->data, &map, time);
}

void told_see(struct told *told, const struct record *record, uint64_t time)
{
	switch (record->type) {
	case RECORD_NAMESPACES:
		see_namespaces(told, record);
		break;
	case RECORD_EXIT:
		see_exit(told, record, time);
		break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		if (record->misc & MISC_MMAP_DATA)
			see_data(told, record, time);
		break;
	case RECORD_COMM:
	case RECORD_FORK:
		if (told->data)
			maps_add_record(told->data, record, time);
		break;
	default:
		break;
	}
}

void told_forget(struct told *told, uint64_t before)
{
	size_t i, n = 0;

	hash_free(&told->by_tid);
	for (i = 0; i < told->threads.n; i++) {
		struct told_thread thread = told->threads.at[i];

		if (thread.ended && thread.ended < before)
			continue;
		hash_insert(&told->by_tid, hash_words(thread.tid, 0),
			(uint32_t)n);
		told->threads.at[n++] = thread;
	}
	told->threads.n = n;
	if (told->data)
		maps_forget(told->data, before);
}

size_t told_weight(const struct told *told)
{
	size_t threads =
		told->threads.n * sizeof(struct told_thread) / WEIGHT_UNIT;

	return threads + (told->data ? maps_weight(told->data) : 0);
}

void told_deinit(struct told *told)
{
	maps_destroy(told->data);
	array_free(&told->threads);
	hash_free(&told->by_tid);
	told->data = NULL;
}
