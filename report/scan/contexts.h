/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parameters of a scan, and the context of a sample in it, also while the
 * survey is still running.
 */
#ifndef DWELL_REPORT_SCAN_CONTEXTS_H
#define DWELL_REPORT_SCAN_CONTEXTS_H

#include "report/scan/sample_key.h"
#include "report/scan/stacks.h"
#include "report/survey/offcpu_time.h"
#include "report/survey/sample_selection.h"
#include "report/survey/survey.h"
#include "report/unwind/unwinding.h"
#include "report/util/filter.h"

struct scan_request {
	bool wants_pid, wants_tid, wants_cpu; /* parts of contexts */
	bool wants_chains;
	uint16_t input;      /* number of the input, for contexts */
	uint64_t max_frames; /* of a chain, 0: all; the innermost, */
	bool keeps_callers;  /* or the outermost */
	const struct sample_selection
		*selection;                    /* borrowed; NULL: all samples */
	const struct sample_keys *sample_keys; /* borrowed; NULL: none */
	const struct offcpu *offcpu; /* borrowed; NULL: no time is counted */
	const struct filter *filter; /* borrowed; DSOs and symbols are
	                              * filtered later */
	/* Borrowed; finished by the scan. NULL: stack copies are ignored. */
	struct unwinding *unwinding;
	bool only_unwinds; /* nothing is counted */
};

/* Returns the context of SAMPLE, of EVENT, whose thread was in AT. */
struct context contexts_make(const struct survey *survey,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample, const struct maps_context *at);

/*
 * Counting while the survey is still running. The address space and the name of
 * a thread at the time of a sample are not known before the survey has ended.
 * Until then each thread is a context of its own, each process is an address
 * space, and the times of each thread's first and last sample are kept.
 * one_pass_finish() replaces both for threads that did not change in that time.
 * The samples of the other threads must be counted again.
 */
struct one_pass {
	ARRAY(struct one_pass_thread {
		uint64_t first, last; /* times of its samples */
		bool is_mixed;        /* must be counted again */
	})
	threads; /* by context */
	ARRAY(struct one_pass_process {
		uint32_t pid;
		uint32_t space;
		bool is_settled; /* its address space is known */
	})
	processes;
	struct hash_index by_pid;
};

void one_pass_deinit(struct one_pass *one_pass);

/*
 * Returns the number in STACKS of the preliminary context of a sample of EVENT.
 */
uint32_t one_pass_context(struct one_pass *one_pass, struct stacks *stacks,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample);

/* Notes a sample of CONTEXT, from one_pass_context(), at TIME. */
static inline void one_pass_add_sample(
	struct one_pass *one_pass, uint32_t context, uint64_t time)
{
	struct one_pass_thread *thread = &one_pass->threads.at[context];

	thread->first = MIN(thread->first, time);
	thread->last = MAX(thread->last, time);
}

/* A set of threads by their IDs. */
struct thread_set {
	ARRAY(struct thread_id { uint32_t pid, tid; }) at;
	struct hash_index by_id;
};
void thread_set_deinit(struct thread_set *set);
bool thread_set_has(const struct thread_set *set, uint32_t pid, uint32_t tid);

/* Adds the threads of STACKS that changed between their samples to SET. */
void one_pass_find_mixed(struct one_pass *one_pass, const struct stacks *stacks,
	const struct survey *survey, struct thread_set *set);

/*
 * Replaces preliminary contexts and address spaces in STACKS. Stacks of the
 * threads MIXED are dropped, and their counts are subtracted from BY_EVENT.
 */
void one_pass_finish(const struct one_pass *one_pass, struct stacks *stacks,
	const struct survey *survey, const struct scan_request *request,
	const struct thread_set *mixed, struct event_totals *by_event);

#endif
