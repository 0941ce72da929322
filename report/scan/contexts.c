/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/contexts.h"

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
