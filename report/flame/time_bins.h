/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the samples of each thread by bins of time, for timelines; with
 * --off-cpu or --wall, also the off-CPU time by state. All samples are read
 * once. Bins are as short as TIME_BINS_MAX permits.
 */
#ifndef DWELL_REPORT_FLAME_TIME_BINS_H
#define DWELL_REPORT_FLAME_TIME_BINS_H

#include "report/result/result.h"
#include "report/scan/cardinality.h"

#define TIME_BINS_MAX 8192u
/*
 * Maximum number of lanes of single threads. Further threads share one lane per
 * event.
 */
#define TIME_BINS_LANES_MAX 4096u
/* If all lanes together have more bins, bins become longer. */
#define TIME_BINS_TOTAL_MAX 1000000u

struct time_bin {
	uint64_t bin; /* time / length of bins */
	uint64_t count;
};

struct time_bins_lane {
	uint32_t event; /* number of the event in the result */
	struct thread_ids ids;
	bool is_rest;
	enum offcpu_state
		state; /* OFFCPU_STATE_ON: .count is in samples; other states: ns */
	ARRAY(struct time_bin)
	at;	       /* sorted by bin after all samples are
				    * counted */
	size_t sorted; /* while counting: number of sorted elements of .at */
};

struct time_bins {
	uint64_t bin_ns;
	uint64_t first, last; /* numbers of bins: time / .bin_ns */
	uint64_t found;	      /* while counting: the bin found last */
	uint64_t first_time, last_time;
	uint64_t samples;
	ARRAY(struct time_bins_lane) lanes;
	struct hash_index by_thread;
	struct cardinality cardinality; /* number of different stacks */
};

/*
 * Counts the samples that pass the filters of RESULT, for which result_survey()
 * was called. The caller frees RET with time_bins_deinit().
 */
void time_bins_count(struct result *result, struct time_bins *ret);
void time_bins_deinit(struct time_bins *time_bins);

#endif
