/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/result/request.h"

#include "report/result/columns.h"

bool request_has_chains(const struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++)
		if (reader_event(reader, i)->attr.sample_type &
			PERF_SAMPLE_CALLCHAIN)
			return true;
	return reader_has_stack_copies(reader);
}

/* Branch stacks of --call-graph lbr do not count. */
bool request_has_branches(const struct reader *reader)
{
	size_t i;

	for (i = 0; i < reader_n_events(reader); i++) {
		const struct perf_event_attr *attr =
			&reader_event(reader, i)->attr;

		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
			!(attr->branch_sample_type &
				PERF_SAMPLE_BRANCH_CALL_STACK))
			return true;
	}
	return false;
}

static bool any_input_has(
	const struct inputs *inputs, bool (*has)(const struct reader *reader))
{
	array_each(&inputs->at, input)
		if (has(input->reader))
			return true;
	return false;
}

static bool shows_field(const struct hist_request *request, const char *name)
{
	size_t i;

	for (i = 0; i < request->n_fields; i++)
		if (string_is(request->fields[i]->name, name))
			return true;
	return false;
}

struct error *request_make(const struct options *options,
	const struct inputs *inputs, struct hist_request *request)
{
	struct error *err;

	request->sample_keys.mode = SAMPLE_COUNT_SAMPLES;
	if (options->time.counted)
		request->sample_keys.mode = SAMPLE_COUNT_TIME;
	else if (options->count.weighs_accesses)
		request->sample_keys.mode = SAMPLE_COUNT_WEIGHTS;
	else if (options->count.branches == OPTION_ON ||
		(options->count.branches == OPTION_DEFAULT &&
			any_input_has(inputs, request_has_branches)))
		request->sample_keys.mode = SAMPLE_COUNT_BRANCHES;
	request->sample_keys.quantum_ns = options->count.quantum_ns;
	/* Branches (-b) and memory accesses have no callers. */
	request->has_chains = any_input_has(inputs, request_has_chains) &&
		(request->sample_keys.mode == SAMPLE_COUNT_SAMPLES ||
			request->sample_keys.mode == SAMPLE_COUNT_TIME);
	if (request->sample_keys.mode == SAMPLE_COUNT_TIME)
		sample_keys_add(&request->sample_keys, sample_key_state, NULL);
	request->filter = &options->filter;
	request->is_relative = options->rows.is_relative;
	request->percent_limit = options->rows.percent_limit;
	/* Without call chains, callers are unknown. */
	request->has_children = request->has_chains &&
		options->rows.children != OPTION_OFF &&
		!columns_are_wait_sites(options, inputs) &&
		columns_allow_callers(options);
	/* A row of a caller is easiest to read with callees below the row. */
	request->is_inverted = options->stacks.is_inverted ||
		options->stacks.callers_first == OPTION_ON ||
		(options->stacks.callers_first == OPTION_DEFAULT &&
			request->has_children);
	request->wants_trees = request->has_chains &&
		options->graph.style != OPTION_GRAPH_NONE &&
		(string_is(options->output.view, "stdio") ||
			(options->graph.is_requested &&
				string_is(options->output.view, "json")));
	err = columns_make(options, inputs, request);
	request->wants_parent =
		options->stacks.parent || shows_field(request, "parent");
	request->wants_waits_in = shows_field(request, "waits_in");
	return err;
}

struct scan_request request_scan(const struct options *options,
	const struct transform_list *transforms,
	const struct hist_request *rows,
	const struct sample_selection *selection, uint16_t input)
{
	struct scan_request request = {
		.wants_chains = rows->has_chains &&
			(rows->has_children || rows->wants_trees ||
				rows->wants_parent || rows->wants_waits_in ||
				options->count.by_place ||
				(options->stacks.ignored_callees ||
					transforms->at.n ||
					(options->stacks.inline_self ==
							OPTION_ON &&
						options->names.has_inlines))),
		.unwinds_filtered =
			transform_list_has(transforms, TRANSFORM_FOCUS) ||
			transform_list_has(transforms, TRANSFORM_DROP),
		.cuts_quanta = shows_field(rows, "time"),
		.keeps_times = options->count.keeps_times,
		.max_frames = options->script.max_stack,
		/* for result->n_threads */
		.wants_tid = options->time.counted != OFFCPU_TIME_RECORDED,
		.keeps_callers = rows->is_inverted,
		.sample_keys = rows->sample_keys.n || rows->sample_keys.mode
			? &rows->sample_keys
			: NULL,
		.input = input,
		.selection = selection,
		.filter = &options->filter,
	};
	size_t i;

	for (i = 0; i < rows->n_fields; i++) {
		request.wants_pid |= rows->fields[i]->needs_pid;
		request.wants_tid |= rows->fields[i]->needs_tid;
		request.wants_cpu |= rows->fields[i]->needs_cpu;
	}
	return request;
}

bool request_groups_cut_stacks(const struct options *options)
{
	/* --max-stack removes callers itself. */
	return options->stacks.groups_cut_stacks &&
		options->script.max_stack == UINT64_MAX;
}

struct refine_request request_refine(const struct options *options,
	const struct transform_list *transforms,
	const struct hist_request *rows)
{
	return (struct refine_request){
		.filter = &options->filter,
		.transforms = transforms,
		.parent = options->stacks.parent,
		.ignored_callees = options->stacks.ignored_callees,
		.wants_parent = rows->wants_parent,
		.wants_waits_in = rows->wants_waits_in,
		.is_inverted = rows->is_inverted,
		.needs_parent = options->stacks.parent &&
			options->stacks.excludes_other,
		.hides_unresolved = options->stacks.hides_unresolved,
		.moves_own_time = options->stacks.inline_self == OPTION_ON,
		.groups_cut_stacks = request_groups_cut_stacks(options),
	};
}
