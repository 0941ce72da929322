/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/contexts.h"

#include "common/util/alloc.h"

struct context contexts_make(const struct survey *survey,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample, const struct maps_context *at)
{
	/* A thread without a name is identified by its thread ID. */
	bool needs_tid = request->wants_tid || (!at->comm && sample->tid);
	struct thread_ids ids = thread_ids_of(sample, at);
	char comm[SURVEY_COMM_SIZE];

	if (!request->wants_pid && !request->wants_tid)
		ids.pid = ids.pid_use = 0;
	if (!needs_tid)
		ids.tid = ids.tid_use = 0;

	return (struct context){
		.event = event,
		.input = request->input,
		.space = at->space,
		.comm = at->comm,
		.ids = ids,
		.cpu = request->wants_cpu ? sample->cpu : 0,
		.is_filtered = !filter_passes_task(request->filter, sample->pid,
				       sample->tid) ||
			!filter_passes_name(&request->filter->comms,
				survey_comm(
					survey, at->comm, sample->tid, comm)),
	};
}

/* --- preliminary contexts ---------------------------------------------- */

/* The first preliminary number of an address space. */
#define FIRST_SPACE (MAPS_KERNEL + 1)

void one_pass_deinit(struct one_pass *one_pass)
{
	array_free(&one_pass->threads);
	array_free(&one_pass->processes);
	hash_free(&one_pass->by_pid);
}

static uint32_t intern_preliminary_space(
	struct one_pass *one_pass, uint32_t pid)
{
	uint64_t hash = hash_words(pid, 0);
	uint32_t n = (uint32_t)one_pass->processes.n;

	hash_each_match(&one_pass->by_pid, hash, i)
		if (one_pass->processes.at[i].pid == pid)
			return FIRST_SPACE + i;
	hash_insert(&one_pass->by_pid, hash, n);
	array_push(&one_pass->processes)->pid = pid;
	return FIRST_SPACE + n;
}

uint32_t one_pass_context(struct one_pass *one_pass, struct stacks *stacks,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample)
{
	const struct context context = {
		.event = event,
		.input = request->input,
		.space = intern_preliminary_space(one_pass, sample->pid),
		.ids = { .pid = sample->pid, .tid = sample->tid },
		.cpu = request->wants_cpu ? sample->cpu : 0,
	};
	uint32_t number = stacks_context(stacks, &context);

	while (one_pass->threads.n < stacks->contexts.n)
		array_push(&one_pass->threads)->first = UINT64_MAX;
	return number;
}

void thread_set_deinit(struct thread_set *set)
{
	array_free(&set->at);
	hash_free(&set->by_id);
}

bool thread_set_has(const struct thread_set *set, uint32_t pid, uint32_t tid)
{
	uint64_t hash = hash_words(pid, tid);

	hash_each_match(&set->by_id, hash, i)
		if (set->at.at[i].pid == pid && set->at.at[i].tid == tid)
			return true;
	return false;
}

static void add_thread_id(struct thread_set *set, uint32_t pid, uint32_t tid)
{
	if (thread_set_has(set, pid, tid))
		return;
	hash_insert(&set->by_id, hash_words(pid, tid), (uint32_t)set->at.n);
	*array_push(&set->at) = (struct thread_id){ pid, tid };
}

/*
 * Returns whether THREAD was in state AT for all its samples. The address space
 * of the first thread of PROCESS is used for all frames of PROCESS.
 */
static bool has_single_state(struct one_pass_process *process,
	const struct one_pass_thread *thread, const struct maps_context *at)
{
	if (thread->is_mixed || thread->last >= at->valid_until)
		return false;
	if (!process->is_settled)
		process->space = at->space;
	process->is_settled = true;
	return process->space == at->space;
}

void one_pass_find_mixed(struct one_pass *one_pass, const struct stacks *stacks,
	const struct survey *survey, struct thread_set *set)
{
	size_t i;

	for (i = 0; i < one_pass->threads.n; i++) {
		const struct context *context = &stacks->contexts.at[i];
		const struct one_pass_thread *thread = &one_pass->threads.at[i];
		struct maps_context at = maps_context(survey->maps,
			context->ids.pid, context->ids.tid, thread->first);

		if (!has_single_state(&one_pass->processes.at[context->space -
					      FIRST_SPACE],
			    thread, &at))
			add_thread_id(set, context->ids.pid, context->ids.tid);
	}
}

static void subtract_mixed(
	const struct stacks *stacks, struct event_totals *by_event)
{
	uint32_t n = stacks_n(stacks), i;

	for (i = 0; i < n; i++) {
		const struct stack *stack = stacks_at(stacks, i);
		const struct context *context =
			&stacks->contexts.at[stack->context];

		if (!context->is_dropped)
			continue;
		by_event[context->event].samples -= stack->samples;
		by_event[context->event].period -= stack->period;
	}
}

void one_pass_finish(const struct one_pass *one_pass, struct stacks *stacks,
	const struct survey *survey, const struct scan_request *request,
	const struct thread_set *mixed, struct event_totals *by_event)
{
	size_t i;

	array_each(&stacks->frames, frame)
		if (frame->space >= FIRST_SPACE)
			frame->space = one_pass->processes
					       .at[frame->space - FIRST_SPACE]
					       .space;
	for (i = 0; i < one_pass->threads.n; i++) {
		struct context *context = &stacks->contexts.at[i];
		const struct sample like = { .pid = context->ids.pid,
			.tid = context->ids.tid,
			.cpu = context->cpu };
		struct maps_context at = maps_context(survey->maps, like.pid,
			like.tid, one_pass->threads.at[i].first);

		if (thread_set_has(mixed, like.pid, like.tid))
			context->is_dropped = true;
		else
			*context = contexts_make(
				survey, request, context->event, &like, &at);
	}
	if (mixed->at.n)
		subtract_mixed(stacks, by_event);
}
