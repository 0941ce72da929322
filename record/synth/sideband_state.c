/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/sideband_state.h"

/* The unit of maps_weight(), in bytes. */
#define WEIGHT_UNIT 40u

static struct sideband_namespaces *find_thread_namespaces(
	const struct sideband_state *state, uint32_t tid)
{
	uint64_t hash = hash_words(tid, 0);

	hash_each_match(&state->by_tid, hash, i)
		if (state->threads.at[i].tid == tid)
			return &state->threads.at[i];
	return NULL;
}

void sideband_state_add_record(struct sideband_state *state,
	const struct record *record, uint64_t time)
{
	struct sideband_namespaces *thread;

	switch (record->type) {
	case RECORD_NAMESPACES: {
		/*
		 * PERF_RECORD_NAMESPACES in linux/perf_event.h: two IDs, a
		 * count, pairs.
		 */
		struct bytes payload = record_payload(record);
		struct sideband_namespaces new = { .pid = bytes_u32(&payload) };
		uint64_t n;

		new.tid = bytes_u32(&payload);
		n = bytes_u64(&payload);
		if (!payload.ok || n > SIDEBAND_STATE_NAMESPACES_MAX ||
			record->size < RECORD_HEADER_SIZE + 16 + 16 * n)
			return;
		new.size = (uint32_t)(16 + 16 * n);
		memcpy(new.payload, record->data + RECORD_HEADER_SIZE,
			new.size);
		thread = find_thread_namespaces(state, new.tid);
		if (!thread) {
			hash_insert(&state->by_tid, hash_words(new.tid, 0),
				(uint32_t)state->threads.n);
			thread = array_push(&state->threads);
		}
		*thread = new;
		break;
	}
	case RECORD_EXIT: {
		struct record_task task;

		if (!record_read_task(record, &task))
			return;
		thread = find_thread_namespaces(state, task.tid);
		if (thread)
			thread->ended = time;
		if (state->data)
			maps_end_thread(state->data, task.pid, task.tid, time);
		break;
	}
	case RECORD_MMAP:
	case RECORD_MMAP2:
		if (record->misc & MISC_MMAP_DATA) {
			struct record_mmap map;

			if (state->data && record_read_mmap(record, &map))
				maps_add_mmap(state->data, &map, time);
		}
		break;
	case RECORD_COMM:
	case RECORD_FORK:
		if (state->data)
			maps_add_record(state->data, record, time);
		break;
	default: break;
	}
}

void sideband_state_forget(struct sideband_state *state, uint64_t before)
{
	size_t i, n = 0;

	hash_free(&state->by_tid);
	for (i = 0; i < state->threads.n; i++) {
		struct sideband_namespaces thread = state->threads.at[i];

		if (thread.ended && thread.ended < before)
			continue;
		hash_insert(
			&state->by_tid, hash_words(thread.tid, 0), (uint32_t)n);
		state->threads.at[n++] = thread;
	}
	state->threads.n = n;
	if (state->data)
		maps_forget(state->data, before);
}

size_t sideband_state_weight(const struct sideband_state *state)
{
	size_t threads = state->threads.n * sizeof(struct sideband_namespaces) /
		WEIGHT_UNIT;

	return threads + (state->data ? maps_weight(state->data) : 0);
}

void sideband_state_deinit(struct sideband_state *state)
{
	maps_destroy(state->data);
	array_free(&state->threads);
	hash_free(&state->by_tid);
	state->data = NULL;
}
