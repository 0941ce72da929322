/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came by, per event and CPU. One thread adds, others may look at the
 * same time; their figures are a moment old then.
 */
#ifndef DWELL_RECORD_QUEUE_SAMPLE_COUNTS_H
#define DWELL_RECORD_QUEUE_SAMPLE_COUNTS_H

#include "common/perf/sample.h"

struct count {
	uint64_t samples;      /* put into the queue */
	uint64_t dropped;      /* samples, for want of queue memory */
	uint64_t lost_records; /* the sum of LOST records */
	uint64_t throttled;    /* THROTTLE records */
};

struct counts {
	struct count *all; /* n_cpus for each event */
	uint32_t n_events, n_cpus;
	/* Among the samples: */
	uint64_t own;  /* those of the recorder itself */
	uint64_t cut;  /* whose copy of the stack was cut, */
	uint64_t bare; /* and left out, because the queue filled up */
};

/* For N_EVENTS, on CPUs up to LAST_CPU; one more stands for all others. */
void counts_init(struct counts *counts, uint32_t n_events, uint32_t last_cpu);
void counts_deinit(struct counts *counts);

static inline struct count *counts_at(
	const struct counts *counts, uint32_t event, uint32_t cpu)
{
	return &counts->all[event * counts->n_cpus +
		MIN(cpu, counts->n_cpus - 1)];
}

/* For the one who adds. */
static inline void count_add(uint64_t *count, uint64_t n)
{
	__atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
}

/* What sideband of EVENT tells of losses; LAYOUT is that of its trailer. */
void counts_see(struct counts *counts, uint32_t event,
	const struct sample_layout *layout, const struct record *record);

/* COPY has been zeroed, or was copied to before. */
void counts_copy(struct counts *copy, const struct counts *counts);

struct count count_look(const struct count *count);
/* Over all CPUs. */
struct count counts_sum(const struct counts *counts, uint32_t event);

#endif
