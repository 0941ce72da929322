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

/* Branches that the kernel took for a callchain's sake are no question. */
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

static bool any_has(
	const struct inputs *inputs, bool (*has)(const struct reader *reader))
{
	array_each(&inputs->at, input)
		if (has(input->reader))
			return true;
	return false;
}

static enum take_mode choose_mode(
	const struct options *options, const struct inputs *inputs)
{
	if (options->time)
		return TAKE_TIME;
	if (options->weighs_accesses)
		return TAKE_WEIGHTS;
	if (options->branches == CHOICE_ON ||
		(options->branches == CHOICE_DEFAULT &&
			any_has(inputs, request_has_branches)))
		return TAKE_BRANCHES;
	return TAKE_SAMPLES;
}

static bool wants_parent(const struct options *options,
	const struct hist_request *request)
{
	size_t i;

	for (i = 0; i < request->n_fields; i++)
		if (string_is(request->fields[i]->name, "parent"))
			return true;
	return options->parent;
}

struct error *request_make(const struct options *options,
	const struct inputs *inputs, struct hist_request *request)
{
	struct error *err;

	request->takes.mode = choose_mode(options, inputs);
	request->takes.quantum_ns = options->quantum_ns;
	/* A branch or an access has no callers of its own. */
	request->has_chains = any_has(inputs, request_has_chains) &&
		(request->takes.mode == TAKE_SAMPLES ||
			request->takes.mode == TAKE_TIME);
	if (request->takes.mode == TAKE_TIME)
		takes_add(&request->takes, take_state, NULL);
	request->filter = &options->filter;
	request->is_relative = options->is_relative;
	request->percent_limit = options->percent_limit;
	/* Without callchains nobody has callers. */
	request->has_children =
		request->has_chains && options->children != CHOICE_OFF &&
		columns_allow_callers(options);
	/* Rows of callers read best with their callees below them. */
	request->is_inverted = options->is_inverted ||
		options->callers_first == CHOICE_ON ||
		(options->callers_first == CHOICE_DEFAULT &&
			request->has_children);
	request->wants_trees = request->has_chains &&
		options->graph.style != GRAPH_NONE &&
		(string_is(options->view, "stdio") ||
			(options->graph.is_asked &&
				string_is(options->view, "json")));
	err = columns_make(options, inputs, request);
	request->wants_parent = wants_parent(options, request);
	return err;
}

struct scan_request request_scan(const struct options *options,
	const struct hist_request *rows, const struct pick *pick,
	uint16_t input)
{
	struct scan_request request = {
		.wants_chains = rows->has_chains &&
			(rows->has_children ||
				rows->wants_trees ||
				rows->wants_parent ||
				options->ignored_callees),
		.max_frames = options->script.max_stack,
		.keeps_callers = rows->is_inverted,
		.takes = rows->takes.n || rows->takes.mode ? &rows->takes
						   : NULL,
		.input = input,
		.pick = pick,
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
