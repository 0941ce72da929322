/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/contexts.h"

struct context contexts_make(const struct survey *survey,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample, const struct maps_context *at)
{
	bool is_named = at->comm || sample->tid == 0;
	char comm[SURVEY_COMM_SIZE];

	return (struct context){
		.event = event,
		.input = request->input,
		.space = at->space,
		.comm = at->comm,
		.pid = request->wants_pid || request->wants_tid ? sample->pid
								: 0,
		/* A thread without a name is identified by its ID. */
		.tid = request->wants_tid || !is_named ? sample->tid : 0,
		.cpu = request->wants_cpu ? sample->cpu : 0,
		.is_filtered = !filter_passes_task(request->filter, sample->pid,
				       sample->tid) ||
			!filter_passes_name(&request->filter->comms,
				survey_comm(
					survey, at->comm, sample->tid, comm)),
	};
}
