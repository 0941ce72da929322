/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of samples and losses per event and CPU. One thread adds; other
 * threads can read at the same time, and get slightly older values.
 */
#ifndef DWELL_RECORD_QUEUE_RECORDED_COUNTS_H
#define DWELL_RECORD_QUEUE_RECORDED_COUNTS_H

#include "common/perf/sample.h"

struct recorded_count {
	uint64_t samples; /* put into the queue */
	uint64_t dropped; /* samples that were dropped because the queue was
			     full */
	uint64_t lost_records; /* lost records, as counted in LOST records */
	uint64_t throttled;    /* THROTTLE records */
	uint64_t left_out;     /* samples that a filter rejected */
};

struct recorded_counts {
	struct recorded_count *all; /* n_cpus elements for each event */
	uint32_t n_events, n_cpus;
	uint64_t forks; /* FORK records */
	/* Among the samples: */
	uint64_t own;  /* samples of the recorder itself */
	uint64_t cut;  /* samples whose stack copy was shortened */
	uint64_t bare; /* samples whose stack copy was removed; the queue was
			  too full */
};

/*
 * Allocates counts for N_EVENTS on CPUs up to LAST_CPU, and one more element
 * for other CPUs.
 */
void recorded_counts_init(
	struct recorded_counts *counts, uint32_t n_events, uint32_t last_cpu);
void recorded_counts_deinit(struct recorded_counts *counts);

static inline struct recorded_count *recorded_counts_at(
	const struct recorded_counts *counts, uint32_t event, uint32_t cpu)
{
	return &counts->all[event * counts->n_cpus +
		MIN(cpu, counts->n_cpus - 1)];
}

/* Adds N to *COUNT. Only for the thread that writes the counts. */
static inline void recorded_count_add(uint64_t *count, uint64_t n)
{
	__atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
}

/*
 * Adds the losses that the sideband record RECORD of EVENT reports; LAYOUT is
 * that of the sample_id at the end of RECORD.
 */
void recorded_counts_add_losses(struct recorded_counts *counts, uint32_t event,
	const struct sample_layout *layout, const struct record *record);

/* Copies the counts. COPY is zero-initialized or a previous copy. */
void recorded_counts_copy(
	struct recorded_counts *copy, const struct recorded_counts *counts);

struct recorded_count recorded_count_read(const struct recorded_count *count);
/* Returns the counts of EVENT, summed over all CPUs. */
struct recorded_count recorded_counts_sum(
	const struct recorded_counts *counts, uint32_t event);

#endif
