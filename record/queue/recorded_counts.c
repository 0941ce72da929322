/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/queue/recorded_counts.h"

#include "common/util/alloc.h"

void recorded_counts_init(
	struct recorded_counts *counts, uint32_t n_events, uint32_t last_cpu)
{
	counts->n_events = n_events;
	counts->n_cpus = last_cpu + 2;
	counts->all = xcalloc(
		(size_t)n_events * counts->n_cpus, sizeof(*counts->all));
}

void recorded_counts_deinit(struct recorded_counts *counts)
{
	free(counts->all);
	counts->all = NULL;
}

void recorded_counts_add_losses(struct recorded_counts *counts, uint32_t event,
	const struct sample_layout *layout, const struct record *record)
{
	struct record_lost lost;
	struct sample_id id;
	struct recorded_count *count;

	if (record->type == RECORD_FORK)
		recorded_count_add(&counts->forks, 1);
	if (record->type != RECORD_LOST && record->type != RECORD_THROTTLE)
		return;
	if (!sample_id_read(layout, record, &id))
		return;
	count = recorded_counts_at(counts, event, id.cpu);
	if (record->type == RECORD_THROTTLE)
		recorded_count_add(&count->throttled, 1);
	else if (record_read_lost(record, &lost))
		recorded_count_add(&count->lost_records, lost.lost);
}

static uint64_t load_count(const uint64_t *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

struct recorded_count recorded_count_read(const struct recorded_count *count)
{
	return (struct recorded_count){
		.samples = load_count(&count->samples),
		.dropped = load_count(&count->dropped),
		.lost_records = load_count(&count->lost_records),
		.throttled = load_count(&count->throttled),
		.left_out = load_count(&count->left_out),
	};
}

void recorded_counts_copy(
	struct recorded_counts *copy, const struct recorded_counts *counts)
{
	size_t n = (size_t)counts->n_events * counts->n_cpus, i;

	if (!copy->all)
		copy->all = xcalloc(n, sizeof(*copy->all));
	copy->n_events = counts->n_events;
	copy->n_cpus = counts->n_cpus;
	copy->forks = load_count(&counts->forks);
	copy->own = load_count(&counts->own);
	copy->cut = load_count(&counts->cut);
	copy->bare = load_count(&counts->bare);
	for (i = 0; i < n; i++)
		copy->all[i] = recorded_count_read(&counts->all[i]);
}

struct recorded_count recorded_counts_sum(
	const struct recorded_counts *counts, uint32_t event)
{
	struct recorded_count sum = { 0 };
	uint32_t cpu;

	for (cpu = 0; cpu < counts->n_cpus; cpu++) {
		struct recorded_count one = recorded_count_read(
			recorded_counts_at(counts, event, cpu));

		sum.samples += one.samples;
		sum.dropped += one.dropped;
		sum.lost_records += one.lost_records;
		sum.throttled += one.throttled;
		sum.left_out += one.left_out;
	}
	return sum;
}
