/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parameters of a scan (the pass that counts samples), and the context of
 * each sample: its event, thread, address space and other keys. Contexts can
 * also be made while the survey is still running.
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
	bool wants_pid, wants_tid, wants_cpu; /* contexts have these */
	bool wants_chains;
	uint16_t input;	     /* number of the input (inputs.h) */
	size_t n_inputs;     /* that are counted together; 0 means 1 */
	bool keeps_times;    /* keep the time of each sample (stack_time) */
	uint64_t max_frames; /* limit for each call chain; 0: no limit */
	bool keeps_callers;  /* keep the outermost frames, not the innermost */
	const struct sample_selection
		*selection;		       /* borrowed; NULL: all samples */
	const struct sample_keys *sample_keys; /* borrowed; NULL: no keys */
	/* borrowed; NULL: counts no off-CPU time */
	const struct offcpu *offcpu;
	const struct filter *filter; /* borrowed; DSOs and symbols are
	                              * filtered later */
	/* Borrowed; finished by the scan. NULL: stack copies are ignored. */
	struct unwinding *unwinding;
	bool only_unwinds; /* stacks are unwound, but not counted */
	/* also unwind stacks of samples that .filter excludes */
	bool unwinds_filtered;
};

/*
 * Returns the context of SAMPLE of EVENT. AT is the state of SAMPLE's thread at
 * the time of SAMPLE.
 */
struct context contexts_make(const struct survey *survey,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample, const struct maps_context *at);

/*
 * State of counting while the survey is still running. The address space and
 * the name of a thread at the time of a sample are not known before the survey
 * has ended. Until then each thread is a context of its own, each process is an
 * address space, and the times of each thread's first and last sample are kept.
 * one_pass_finish() replaces these contexts and address spaces for threads
 * whose name and address space did not change between the two times. The
 * samples of the other threads must be counted again.
 */
struct one_pass {
	ARRAY(struct one_pass_thread {
		uint64_t first, last; /* times of the first and last sample */
		bool is_mixed;	      /* the samples must be counted again */
	})
	threads; /* one for each context */
	ARRAY(struct one_pass_process {
		uint32_t pid;
		uint32_t space;
		bool is_settled; /* .space is known */
	})
	processes;
	struct hash_index by_pid;
};

void one_pass_deinit(struct one_pass *one_pass);

/*
 * Returns the number in STACKS of the preliminary context of SAMPLE, a sample
 * of EVENT.
 */
uint32_t one_pass_context(struct one_pass *one_pass, struct stacks *stacks,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample);

/*
 * Updates the first and last time of CONTEXT, a number from one_pass_context(),
 * by a sample at TIME.
 */
static inline void one_pass_add_sample(
	struct one_pass *one_pass, uint32_t context, uint64_t time)
{
	struct one_pass_thread *thread = &one_pass->threads.at[context];

	thread->first = MIN(thread->first, time);
	thread->last = MAX(thread->last, time);
}

/* A set of threads, by PID and TID. */
struct thread_set {
	ARRAY(struct thread_id { uint32_t pid, tid; }) at;
	struct hash_index by_id;
};
void thread_set_deinit(struct thread_set *set);
bool thread_set_has(const struct thread_set *set, uint32_t pid, uint32_t tid);

/*
 * Adds the threads of STACKS to SET whose address space or name changed between
 * their first and last sample.
 */
void one_pass_find_mixed(struct one_pass *one_pass, const struct stacks *stacks,
	const struct survey *survey, struct thread_set *set);

/*
 * Replaces the preliminary contexts and address spaces in STACKS by those of
 * SURVEY. Stacks of threads in MIXED are dropped, and the counts of these
 * stacks are subtracted from BY_EVENT.
 */
void one_pass_finish(const struct one_pass *one_pass, struct stacks *stacks,
	const struct survey *survey, const struct scan_request *request,
	const struct thread_set *mixed, struct event_totals *by_event);

#endif
