/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/bpf/bpf_unwind.h"
#include "record/runtimes/runtimes.h"
#include "record/sys/clocks.h"
#include "record/unwind/live_unwinding.h"
#include "record/unwind/live_unwinding_private.h"
#include "record/unwind/merge_frames.h"

/*
 * Maximum age of a sample whose runtime is read. For an older sample, the
 * process has changed the structures of the runtime.
 */
#define RUNTIME_LATE_NS (NSEC_PER_SEC / 2)

/* Returns whether the address space of the process has the mapping of a runtime. */
static bool has_runtime(const struct unwinding_work *work, unsigned number)
{
	return maps_find(
		work->place.maps, work->place.space, RUNTIME_BASE(number));
}

static struct runtime_task task_of(const struct unwinding_work *work)
{
	return (struct runtime_task){
		.pid = work->place.pid,
		.program = maps_program(work->place.maps, work->place.space),
	};
}

/* --- runtimes that compile code ----------------------------------------------- */

unsigned live_unwinding_compilers(const struct unwinding_work *work)
{
	unsigned found = 0, i;

	for (i = 0; i < RUNTIMES && work->unwinding->runtimes; i++)
		if (!runtime_dso_is_interpreted(i) && has_runtime(work, i))
			found |= 1u << i;
	if (found &&
		(clocks_now() > work->place.time + RUNTIME_LATE_NS ||
			rules_has_jitdump(
				work->unwinding->rules, &work->place)))
		return 0;
	return found;
}

enum runtime_result live_unwinding_step_in_runtime(
	void *data, const struct runtime_frame *frame, struct runtime_step *ret)
{
	struct unwinding_work *work = data;
	const struct runtime_task task = task_of(work);
	enum runtime_result result = RUNTIME_FOREIGN;
	unsigned i;

	for (i = 0; i < RUNTIMES && result == RUNTIME_FOREIGN; i++)
		if (work->runtimes >> i & 1)
			result = runtimes_step(work->unwinding->runtimes, i,
				&task, frame, ret);
	return result;
}

/* --- interpreters --------------------------------------------------------------- */

static bool is_without_file(void *data, uint64_t pc)
{
	const struct unwinding_work *work = data;
	const struct maps *maps = work->place.maps;
	const struct mapping *mapping = maps_find(maps, work->place.space, pc);

	return mapping && maps_is_anonymous(maps_dso(maps, mapping->dso)->path);
}

/*
 * Replaces the call chain by the merged chain, which has at most .room entries.
 * If the frames were read from the running process, marks the chain from the
 * first one on.
 */
static void merge_chain(struct unwinding_work *work,
	const struct runtimes_interpreter *interpreter)
{
	struct live_unwinding *unwinding = work->unwinding;
	const struct merge_input input = {
		.native = work->chain.pcs,
		.n_native = work->n,
		.is_whole = work->outcome->stacks.whole,
		.interpreter = &interpreter->description,
		.frames = unwinding->interpreted,
		.n_frames = interpreter->n,
		.is_trampoline = is_without_file,
		.data = work,
	};
	size_t n_outer = work->n - work->own, n;
	enum merge_result result = merge_frames(&input, unwinding->merged, &n);

	work->outcome->stacks.shifted += result == MERGE_SHIFTED;
	work->outcome->stacks.alone += result == MERGE_ALONE;
	n = MIN(n, work->chain.room);
	memcpy(work->chain.pcs, unwinding->merged, 8 * n);
	work->n = n;
	work->own = n - MIN(n_outer, n);
	if (!interpreter->is_live)
		return;
	work->outcome->stacks.late++;
	size_t i = 0;
	while (i < n && !runtime_has_address(work->chain.pcs[i]))
		i++;
	work->own = MIN(work->own, i);
	if (work->origin == FRAME_ORIGIN_COPY)
		work->origin = FRAME_ORIGIN_PROCESS;
}

void live_unwinding_merge_interpreted(struct unwinding_work *work)
{
	struct live_unwinding *unwinding = work->unwinding;
	struct runtimes_list list = {
		.frames = work->rewrite->linked,
		.n = MIN(work->rewrite->n_linked, (size_t)CHAIN_LINKED_MAX),
		.time = work->place.time,
		.is_sent = work->event->in_kernel,
	};
	struct runtimes_interpreter interpreter;
	struct runtime_task task;
	unsigned number;

	if (!unwinding->runtimes || !work->n)
		return;
	for (number = 0; number < RUNTIMES; number++)
		if (runtime_dso_is_interpreted(number) &&
			has_runtime(work, number))
			break;
	if (number == RUNTIMES)
		return;
	/* Since an old sample, the process has gone on. */
	if (clocks_now() < work->place.time + work->event->live_ns)
		list.tid = work->rewrite->sample.tid;
	task = task_of(work);
	if (!runtimes_name(unwinding->runtimes, number, &task, &list,
		    unwinding->interpreted, &interpreter))
		return;
	if (interpreter.is_new && unwinding->bpf)
		bpf_unwind_send_linked(unwinding->bpf, work->place.pid,
			&interpreter.description.list);
	if (interpreter.n)
		merge_chain(work, &interpreter);
}
