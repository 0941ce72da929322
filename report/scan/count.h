/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From records to stacks: what one thread of a scan does with each sample. No
 * sample is queued, sorted or looked up.
 */
#ifndef DWELL_REPORT_SCAN_COUNT_H
#define DWELL_REPORT_SCAN_COUNT_H

#include "report/scan/one_pass.h"
#include "report/scan/truncated_stacks.h"
#include "report/survey/damage.h"
#include "report/survey/deferred_chains.h"

/* A few threads alternate on a CPU: remember the last contexts of each. */
#define RECENT_CONTEXTS 64u
/* So many wait for memory together. */
#define BATCH 32u

struct counter {
	struct reader *reader;
	const struct survey *survey;
	const struct scan_request *request;
	const struct thread_set *only; /* whose samples; NULL: everybody's */
	struct early *early; /* while the survey goes on, else NULL */
	const struct sample_layout *layouts; /* by event */
	bool has_marks; /* in callchains, see frame_origin.h */
	struct recent {
		/* times it is good for; empty: from > until */
		uint64_t from, until;
		uint32_t event, pid, tid, cpu;
		uint32_t context;
	} recent[RECENT_CONTEXTS];
	/* Samples on their way: see stacks_prepare(). */
	struct pending {
		struct stack_sample sample;
		uint64_t hash;
		uint32_t context;
	} pending[BATCH];
	size_t n_pending;
	/* Samples before that, whose stacks are unwound at the same time. */
	struct waiting {
		struct sample sample;
		uint32_t context;
		bool has_stack;
		struct unwinding_place place;
	} waiting[UNWINDING_AT_ONCE];
	size_t n_waiting;
	struct sample sample;  /* the one that is read */
	enum thread_state state; /* of what is counted */
	struct offcpu_counts offcpu;
	struct late_room room; /* of one sample at a time */
	struct unwinding_thread *unwinding; /* borrowed; NULL: none */
	struct cuts cuts;
	struct stacks stacks;
	ARRAY(struct take_totals) by_event;
	struct damage damaged; /* samples that could not be read */
};

/* COUNTER is zeroed, but for what it is told and asked (.reader to .early). */
void count_begin(struct counter *counter);
/* Its stacks are complete then; of others' threads, too (unwinding_finish()). */
void count_end(struct counter *counter);

/* Counts the samples of CHUNK. */
void count_chunk(struct counter *counter, const struct chunk *chunk);

/*
 * Counts one sample; what SAMPLE borrows must outlast count_all(). It has what it
 * counts as afterwards.
 */
void count_sample(struct counter *counter, struct sample *sample,
	uint32_t event, uint64_t position);
/* A switch that only records tell of: whose it is, and when. */
void count_switch(struct counter *counter, const struct sample *sample);
/* Those that wait. */
void count_all(struct counter *counter);

#endif
