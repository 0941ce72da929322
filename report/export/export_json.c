/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counted stacks as JSON: the stacks with the numbers of their frames, then the
 * frames, then the sums of each event.
 */
#include "config.h"

#include "common/util/json.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"
#include "report/resolve/function_numbers.h"

#define STACKS_JSON_VERSION 1

struct stacks_json {
	struct counted counted;
	struct outflow out;
	struct json json; /* writes to .out */
	struct function_numbers functions;
	ARRAY(uint32_t) frames; /* location of each frame */
	ARRAY(uint32_t)
	numbers; /* for each location: index in .frames + 1, or
				  * 0 */
	ARRAY(struct sample_totals)
	by_event; /* for each event: sums of written
					      * stacks */
};

static void put_json_task(
	struct stacks_json *to, const struct counted_stack *stack)
{
	const struct thread_ids *ids = &stack->context->ids;
	_cleanup_strbuf_ struct strbuf comm = { 0 };

	if (stack->context->is_rest) {
		json_bool(&to->json, "rest", true);
		return;
	}
	counted_put_comm(&to->counted, stack, &comm);
	json_visible(&to->json, "comm", comm.at);
	json_unsigned(&to->json, "pid", ids->pid);
	if (ids->pid_use)
		json_unsigned(&to->json, "pid_use", ids->pid_use);
	json_unsigned(&to->json, "tid", ids->tid);
	if (ids->tid_use)
		json_unsigned(&to->json, "tid_use", ids->tid_use);
}

static void put_json_stack(void *data, const struct counted_stack *stack)
{
	struct stacks_json *to = data;
	struct json *json = &to->json;
	uint32_t event = stack->context->event;
	struct chain chain = stack->chain;

	json_line(json, "\n");
	json_begin_object(json, NULL);
	json_unsigned(json, "event", event);
	put_json_task(to, stack);
	if (to->counted.result.options->time.counted)
		json_string(json, "state",
			offcpu_state_name(counted_state(&to->counted, stack)));
	json_unsigned(json, "samples", stack->samples);
	json_unsigned(json, "period", stack->period);
	json_begin_array(json, "frames");
	json->is_compact = true;
	while (!chain_is_empty(&chain)) {
		uint32_t location = chain_last(&chain);
		while (to->numbers.n <= location)
			array_push(&to->numbers);
		if (!to->numbers.at[location]) {
			*array_push(&to->frames) = location;
			to->numbers.at[location] = (uint32_t)to->frames.n;
		}
		json_unsigned(json, NULL, to->numbers.at[location] - 1);
	}
	json->is_compact = false;
	json_end_array(json);
	json_end_object(json);
	to->by_event.at[event].samples += stack->samples;
	to->by_event.at[event].period += stack->period;
}

static void put_stacks_json(struct stacks_json *to)
{
	struct json *json = &to->json;
	size_t i;

	to->functions.resolver = to->counted.result.resolver;
	for (i = 0; i < to->counted.result.inputs.events.n; i++)
		array_push(&to->by_event);
	json->out = &to->out.text;
	json_begin_object(json, NULL);
	json_unsigned(json, "version", STACKS_JSON_VERSION);
	json_line(json, "\n");
	json_begin_array(json, "stacks");
	counted_each(&to->counted, &to->out, put_json_stack, to);
	json_end_array(json);
	json_line(json, "\n");
	json_begin_array(json, "frames");
	array_each(&to->frames, location) {
		struct resolver *resolver = to->functions.resolver;
		const struct function_numbered *function = function_numbers_at(
			&to->functions,
			function_numbers_find(&to->functions, *location));
		struct resolver_line at = resolver_line(resolver, *location);
		_cleanup_free_ char *dso = xasprintf("%s%s", function->dso,
			resolver_build_mark(resolver,
				resolver_location(resolver, *location)));
		json_line(&to->json, "\n");
		json_begin_object(&to->json, NULL);
		if (function->has_symbol)
			json_visible(&to->json, "symbol", function->name);
		else
			json_null(&to->json, "symbol");
		json_visible(&to->json, "dso", dso);
		if (resolver_location(resolver, *location)->is_inlined)
			json_bool(&to->json, "inlined", true);
		if (at.file)
			json_visible(&to->json, "file", at.file);
		if (at.line)
			json_unsigned(&to->json, "line", at.line);
		json_end_object(&to->json);
		outflow_some(&to->out);
	}
	json_end_array(json);
	json_line(json, "\n");
	json_begin_array(json, "events");
	const struct inputs *inputs = &to->counted.result.inputs;
	for (i = 0; i < inputs->events.n; i++) {
		json_line(&to->json, "\n");
		json_begin_object(&to->json, NULL);
		json_visible(&to->json, "event", inputs->events.at[i].name);
		json_unsigned(&to->json, "samples", to->by_event.at[i].samples);
		json_unsigned(&to->json, "period", to->by_event.at[i].period);
		json_end_object(&to->json);
	}
	json_end_array(json);
	json_end_object(json);
	strbuf_putc(&to->out.text, '\n');
}

static struct error *run_json_export(const struct options *options, int fd)
{
	struct stacks_json to = { .out = outflow_begin(
					  options->output.file, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_config){ .keys = "comm,pid,tid",
			.has_lines = true,
			.has_order = true },
		&to.counted);

	if (!err)
		put_stacks_json(&to);
	err = outflow_end(&to.out, err);
	function_numbers_deinit(&to.functions);
	array_free(&to.frames);
	array_free(&to.numbers);
	array_free(&to.by_event);
	counted_deinit(&to.counted);
	return err;
}

const struct export export_json = { "json", false, run_json_export };
