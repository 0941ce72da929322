/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/queue/sample_counts.h"

#include "common/util/alloc.h"

void counts_init(struct counts *counts, uint32_t n_events, uint32_t last_cpu)
{
	counts->n_events = n_events;
	counts->n_cpus = last_cpu + 2;
	counts->all = xcalloc(
		(size_t)n_events * counts->n_cpus, sizeof(*counts->all));
}

void counts_deinit(struct counts *counts)
{
	free(counts->all);
	counts->all = NULL;
}

void counts_see(struct counts *counts, uint32_t event,
	const struct sample_layout *layout, const struct record *record)
{
	struct record_lost lost;
	struct sample_id id;
	struct count *count;

	if (record->type != RECORD_LOST && record->type != RECORD_THROTTLE)
		return;
	if (!sample_id_read(layout, record, &id))
		return;
	count = counts_at(counts, event, id.cpu);
	if (record->type == RECORD_THROTTLE)
		count_add(&count->throttled, 1);
	else if (record_read_lost(record, &lost))
		count_add(&count->lost_records, lost.lost);
}

static uint64_t look(const uint64_t *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

struct count count_look(const struct count *count)
{
	return (struct count){
		.samples = look(&count->samples),
		.dropped = look(&count->dropped),
		.lost_records = look(&count->lost_records),
		.throttled = look(&count->throttled),
	};
}

void counts_copy(struct counts *copy, const struct counts *counts)
{
	size_t n = (size_t)counts->n_events * counts->n_cpus, i;

	if (!copy->all)
		copy->all = xcalloc(n, sizeof(*copy->all));
	copy->n_events = counts->n_events;
	copy->n_cpus = counts->n_cpus;
	copy->own = look(&counts->own);
	copy->cut = look(&counts->cut);
	copy->bare = look(&counts->bare);
	for (i = 0; i < n; i++)
		copy->all[i] = count_look(&counts->all[i]);
}

struct count counts_sum(const struct counts *counts, uint32_t event)
{
	struct count sum = { 0 };
	uint32_t cpu;

	for (cpu = 0; cpu < counts->n_cpus; cpu++) {
		struct count one = count_look(counts_at(counts, event, cpu));

		sum.samples += one.samples;
		sum.dropped += one.dropped;
		sum.lost_records += one.lost_records;
		sum.throttled += one.throttled;
	}
	return sum;
}
