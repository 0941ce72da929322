/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For who counts samples while the survey still goes on. What a thread was at
 * the time of a sample (its address space, its name) can't be asked before the
 * survey has ended. Until then each thread is a context of its own, each process
 * an address space, and from when to when a thread was seen is noted. A thread
 * that was one thing all that time becomes that: early_settle(). The samples of
 * the others are to be counted again.
 */
#ifndef DWELL_REPORT_SCAN_ONE_PASS_H
#define DWELL_REPORT_SCAN_ONE_PASS_H

#include "report/scan/contexts.h"

struct early {
	ARRAY(struct early_thread {
		uint64_t first, last; /* times of its samples */
		bool is_mixed;        /* it is to be counted again */
	}) threads; /* by context */
	ARRAY(struct early_process {
		uint32_t pid;
		uint32_t space;
		bool is_settled;
	}) processes;
	struct hash_index by_pid;
};

void early_deinit(struct early *early);

/* The number in STACKS of the context that a sample of EVENT has so far. */
uint32_t early_context(struct early *early, struct stacks *stacks,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample);

/* A sample of CONTEXT, which early_context() gave, was taken at TIME. */
static inline void early_see(
	struct early *early, uint32_t context, uint64_t time)
{
	struct early_thread *thread = &early->threads.at[context];

	thread->first = MIN(thread->first, time);
	thread->last = MAX(thread->last, time);
}

/* Threads by their ids. */
struct thread_set {
	ARRAY(struct thread_id {
		uint32_t pid, tid;
	}) at;
	struct hash_index by_id;
};
void thread_set_deinit(struct thread_set *set);
bool thread_set_has(
	const struct thread_set *set, uint32_t pid, uint32_t tid);

/* Adds those threads of STACKS to SET that were not one thing all the time. */
void early_find_mixed(struct early *early, const struct stacks *stacks,
	const struct survey *survey, struct thread_set *set);

/*
 * Puts what threads were into the contexts and frames of STACKS. Those of MIXED
 * are dropped, and what they count is taken from BY_EVENT.
 */
void early_settle(const struct early *early, struct stacks *stacks,
	const struct survey *survey, const struct scan_request *request,
	const struct thread_set *mixed, struct take_totals *by_event);

#endif
