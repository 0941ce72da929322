/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts samples as stacks: the work of one thread of a scan. Samples are not
 * queued, sorted or resolved.
 */
#ifndef DWELL_REPORT_SCAN_COUNT_H
#define DWELL_REPORT_SCAN_COUNT_H

#include "report/scan/contexts.h"
#include "report/scan/stacks.h"
#include "report/survey/damage.h"
#include "report/survey/deferred_chains.h"
#include "report/unwind/unwinding.h"

/* A few threads alternate on a CPU: cache the last contexts of each. */
#define RECENT_CONTEXTS 64u
/* Number of samples whose memory is prefetched together. */
#define BATCH 32u

/*
 * Samples with truncated stack copies: they are kept with their frames until
 * all samples were read, and then completed and counted. Zero-initialized it is
 * empty.
 */
struct truncated_stacks {
	ARRAY(struct truncated_stack {
		struct stack_sample sample; /* its chain is in .entries */
		size_t at;
		uint32_t context;
		struct unwinding_cut cut;
	})
	list;
	ARRAY(uint64_t) entries;
};

struct counter {
	struct reader *reader;
	const struct survey *survey;
	const struct scan_request *request;
	const struct thread_set *only; /* count these threads; NULL: all */
	struct one_pass *one_pass;     /* during the survey, else NULL */
	const struct sample_layout *layouts; /* by event */
	bool has_marks; /* call chains have marks, see frame_origin.h */
	struct recent {
		/* valid times; empty: from > until */
		uint64_t from, until;
		uint32_t event, pid, tid, cpu;
		uint32_t context;
	} recent[RECENT_CONTEXTS];
	/* Samples between stacks_prepare() and stacks_add_prepared(). */
	struct pending {
		struct stack_sample sample;
		uint64_t hash;
		uint32_t context;
	} pending[BATCH];
	size_t n_pending;
	/* Samples whose stack copies are unwound together. */
	struct waiting {
		struct sample sample;
		uint32_t context;
		bool has_stack;
		struct unwinding_place place;
	} waiting[UNWINDING_AT_ONCE];
	size_t n_waiting;
	struct sample sample;    /* the current one */
	enum thread_state state; /* of the counted time */
	struct offcpu_counts offcpu;
	struct deferred_room room;          /* of one sample at a time */
	struct unwinding_thread *unwinding; /* borrowed; NULL: none */
	struct truncated_stacks truncated;
	struct stacks stacks;
	ARRAY(struct event_totals) by_event;
	struct damage damaged; /* samples that could not be read */
};

/* The caller zeroes COUNTER and sets .reader to .one_pass. */
void count_begin(struct counter *counter);
/* Completes truncated stacks, after unwinding_finish() of all threads. */
void count_end(struct counter *counter);

/* Counts the samples of CHUNK. */
void count_chunk(struct counter *counter, const struct chunk *chunk);

/*
 * Counts one sample; what SAMPLE borrows must outlast count_all(). Afterwards
 * SAMPLE's period is the counted one.
 */
void count_sample(struct counter *counter, struct sample *sample,
	uint32_t event, uint64_t position);
/* Counts a switch without a sample: SAMPLE has its thread and time. */
void count_switch(struct counter *counter, const struct sample *sample);
/* Counts the samples that are still pending. */
void count_all(struct counter *counter);

#endif
