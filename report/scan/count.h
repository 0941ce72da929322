/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts samples by context and call chain: the work of one thread of a scan.
 * Samples are not queued, sorted or resolved.
 */
#ifndef DWELL_REPORT_SCAN_COUNT_H
#define DWELL_REPORT_SCAN_COUNT_H

#include "report/scan/contexts.h"
#include "report/scan/stacks.h"
#include "report/survey/deferred_chains.h"
#include "report/survey/incomplete.h"
#include "report/unwind/recorded_unwinding.h"

/* Size of the cache of contexts. A few threads alternate on a CPU. */
#define RECENT_CONTEXTS 64u
/* Number of samples whose memory is prefetched together. */
#define BATCH 32u

/*
 * Samples with truncated stack copies. The samples are kept with their frames
 * until all samples were read, and then completed and counted. A
 * zero-initialized struct has no samples.
 */
struct truncated_stacks {
	ARRAY(struct truncated_stack {
		struct stack_sample sample; /* the chain is in .entries */
		size_t at;
		uint32_t context;
		struct recorded_unwinding_cut cut;
	})
	list;
	ARRAY(uint64_t) entries;
};

struct counter {
	struct reader *reader;
	const struct survey *survey;
	const struct scan_request *request;
	const struct sample_layout *layouts; /* by event number */
	bool has_marks; /* chains have marks of frame_origin.h */
	struct count_recent {
		/* times at which .context is valid; empty: from > until */
		uint64_t from, until;
		uint32_t event, pid, tid, cpu;
		uint32_t context;
	} recent[RECENT_CONTEXTS];
	/* Samples between stacks_prepare() and stacks_add_prepared(). */
	struct count_pending {
		struct stack_sample sample;
		uint64_t hash;
		uint32_t context;
	} pending[BATCH];
	size_t n_pending;
	/* Samples whose stack copies are unwound together. */
	struct count_waiting {
		struct sample sample;
		uint32_t context;
		struct offcpu_part part; /* .part of the counter */
		bool has_stack;
		struct recorded_unwinding_place place;
	} waiting[UNWINDING_AT_ONCE];
	size_t n_waiting;
	struct sample sample;	 /* the sample that is counted */
	struct offcpu_part part; /* the time that is counted, or zeroed */
	struct offcpu_counts offcpu;
	uint64_t n_continued;	   /* parts off-CPU that are continued */
	struct deferred_room room; /* for one deferred sample */
	struct recorded_unwinding_thread *unwinding; /* borrowed, or NULL */
	struct truncated_stacks truncated;
	struct stacks_raw stacks;
	ARRAY(struct sample_totals) by_event;
	/*
	 * No sum of periods wraps around: *PERIODS, borrowed and shared by all
	 * counters of a scan, is the part of the largest sum that is left.
	 * .period_left is the part that this counter took in advance.
	 */
	_Atomic uint64_t *periods;
	uint64_t period_left;
	uint64_t n_excess; /* samples whose period exceeds the largest sum */
	struct incomplete_damage damaged; /* samples that could not be read */
};

/*
 * The caller zeroes COUNTER and sets .periods and its members from .reader to
 * .request.
 */
void count_begin(struct counter *counter);
/*
 * Counts the samples with truncated stacks, which get outer frames of other
 * samples first. Call this after recorded_unwinding_finish() of all threads.
 */
void count_end(struct counter *counter);

/* Counts the samples of CHUNK. */
void count_chunk(struct counter *counter, const struct reader_chunk *chunk);

/*
 * Counts SAMPLE. The memory that SAMPLE borrows must stay valid until
 * count_all() has returned. Sets the period of SAMPLE to the counted period.
 */
void count_sample(struct counter *counter, struct sample *sample,
	uint32_t event, uint64_t position);
/*
 * Counts the off-CPU time of a context switch without a sample. SAMPLE contains
 * only the thread and the time of the switch.
 */
void count_switch(struct counter *counter, const struct sample *sample);
/*
 * Counts the samples that were added by count_sample() and are still pending.
 */
void count_all(struct counter *counter);

#endif
