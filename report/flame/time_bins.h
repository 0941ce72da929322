/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When threads were sampled: a count per thread and bin of time, for timelines,
 * and where time is counted, when they were off their CPUs and why. It reads
 * all samples once, and looks at nothing but who and when. Bins are as short as
 * a bounded number of them allows.
 */
#ifndef DWELL_REPORT_FLAME_TIME_BINS_H
#define DWELL_REPORT_FLAME_TIME_BINS_H

#include "report/result/result.h"
#include "report/scan/cardinality.h"

#define MOMENTS_BINS 8192u
/* Threads beyond these are one lane of their event, if that has a place. */
#define MOMENTS_LANES_MAX 4096u
/* Where all lanes have more bins than these, bins are longer. */
#define MOMENTS_MAX 1000000u

struct moment {
	uint64_t bin; /* time / the length of bins */
	uint64_t count;
};

struct moments_lane {
	uint32_t event; /* its number for all */
	uint32_t pid, tid;
	bool is_rest;
	enum thread_state state; /* STATE_ON: counts are samples; else ns */
	ARRAY(struct moment) at; /* ascending, once all are counted */
	size_t sorted;		 /* so many of them are, while they are */
};

struct moments {
	uint64_t bin_ns;
	uint64_t first, last; /* bins: time / .bin_ns */
	uint64_t first_time, last_time;
	uint64_t samples;
	ARRAY(struct moments_lane) lanes;
	struct hash_index by_thread;
	struct variety variety; /* of the samples' stacks */
};

/* Of the samples that RESULT, which was prepared, wants. */
void moments_count(struct result *result, struct moments *ret);
void moments_deinit(struct moments *moments);

#endif
