/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/one_pass.h"

#include "common/util/alloc.h"

/* Numbers of address spaces until it is known which ones they are. */
#define FIRST_SPACE (MAPS_KERNEL + 1)

void early_deinit(struct early *early)
{
	array_free(&early->threads);
	array_free(&early->processes);
	hash_free(&early->by_pid);
}

static uint32_t space_of(struct early *early, uint32_t pid)
{
	uint64_t hash = hash_words(pid, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&early->by_pid, hash, &probe)) != HASH_NONE)
		if (early->processes.at[i].pid == pid)
			return FIRST_SPACE + i;
	i = (uint32_t)early->processes.n;
	hash_insert(&early->by_pid, hash, i);
	array_push(&early->processes)->pid = pid;
	return FIRST_SPACE + i;
}

uint32_t early_context(struct early *early, struct stacks *stacks,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample)
{
	const struct context context = {
		.event = event,
		.input = request->input,
		.space = space_of(early, sample->pid),
		.pid = sample->pid,
		.tid = sample->tid,
		.cpu = request->wants_cpu ? sample->cpu : 0,
	};
	uint32_t number = stacks_context(stacks, &context);

	while (early->threads.n < stacks->contexts.n)
		array_push(&early->threads)->first = UINT64_MAX;
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
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&set->by_id, hash, &probe)) != HASH_NONE)
		if (set->at.at[i].pid == pid && set->at.at[i].tid == tid)
			return true;
	return false;
}

static void add(struct thread_set *set, uint32_t pid, uint32_t tid)
{
	if (thread_set_has(set, pid, tid))
		return;
	hash_insert(&set->by_id, hash_words(pid, tid), (uint32_t)set->at.n);
	*array_push(&set->at) = (struct thread_id){ pid, tid };
}

/* The first of its threads says which address space a process's frames have. */
static bool is_one(struct early_process *process,
	const struct early_thread *thread, const struct maps_context *at)
{
	if (thread->is_mixed || thread->last >= at->valid_until)
		return false;
	if (!process->is_settled)
		process->space = at->space;
	process->is_settled = true;
	return process->space == at->space;
}

void early_find_mixed(struct early *early, const struct stacks *stacks,
	const struct survey *survey, struct thread_set *set)
{
	size_t i;

	for (i = 0; i < early->threads.n; i++) {
		const struct context *context = &stacks->contexts.at[i];
		const struct early_thread *thread = &early->threads.at[i];
		struct maps_context at = maps_context(survey->maps,
			context->pid, context->tid, thread->first);

		if (!is_one(&early->processes.at[context->space - FIRST_SPACE],
			    thread, &at))
			add(set, context->pid, context->tid);
	}
}

static void drop_mixed(const struct stacks *stacks, struct take_totals *by_event)
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

void early_settle(const struct early *early, struct stacks *stacks,
	const struct survey *survey, const struct scan_request *request,
	const struct thread_set *mixed, struct take_totals *by_event)
{
	size_t i;

	array_each(&stacks->frames, frame)
		if (frame->space >= FIRST_SPACE)
			frame->space =
				early->processes.at[frame->space - FIRST_SPACE]
					.space;
	for (i = 0; i < early->threads.n; i++) {
		struct context *context = &stacks->contexts.at[i];
		const struct sample like = { .pid = context->pid,
			.tid = context->tid,
			.cpu = context->cpu };
		struct maps_context at = maps_context(survey->maps, like.pid,
			like.tid, early->threads.at[i].first);

		if (thread_set_has(mixed, like.pid, like.tid))
			context->is_dropped = true;
		else
			*context = contexts_make(survey, request,
				context->event, &like, &at);
	}
	if (mixed->at.n)
		drop_mixed(stacks, by_event);
}
