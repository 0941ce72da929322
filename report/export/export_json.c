/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counted stacks as JSON: each with the numbers of its frames, which stand
 * behind them; then what all of it adds up to, by event.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"
#include "report/resolve/function_numbers.h"

#define SHAPE_VERSION 1

struct json {
	struct counted counted;
	struct outflow out;
	struct code_names functions;
	ARRAY(uint32_t) frames;  /* numbers of locations */
	ARRAY(uint32_t) numbers; /* by location: of frames, + 1 */
	struct strbuf frame;     /* one, to see how long it is */
	ARRAY(struct take_totals) by_event; /* of what was written */
	const char *separator;
};

static void put_frame(struct json *to, uint32_t location, struct strbuf *text)
{
	struct resolver *resolver = to->functions.resolver;
	const struct code_name *function = code_names_at(
		&to->functions, code_names_number(&to->functions, location));
	struct code_line at = resolver_line(resolver, location);
	_cleanup_free_ char *dso = xasprintf("%s%s", function->dso,
		resolver_build_mark(
			resolver, resolver_location(resolver, location)));

	strbuf_puts(text, "{\"symbol\": ");
	if (function->has_symbol)
		escape_json_visible(text, function->name);
	else
		strbuf_puts(text, "null");
	strbuf_puts(text, ", \"dso\": ");
	escape_json_visible(text, dso);
	if (resolver_location(resolver, location)->is_inlined)
		strbuf_puts(text, ", \"inlined\": true");
	if (at.file) {
		strbuf_puts(text, ", \"file\": ");
		escape_json_visible(text, at.file);
	}
	if (at.line)
		strbuf_printf(text, ", \"line\": %" PRIu32, at.line);
	strbuf_putc(text, '}');
}

/* They come behind the stacks. */
static void foresee_frame(struct json *to, uint32_t location)
{
	if (!outflow_is_heard(&to->out))
		return;
	strbuf_clear(&to->frame);
	put_frame(to, location, &to->frame);
	to->out.once.size += to->frame.n + strlen(",\n");
	to->out.once.done++;
}

static uint32_t number_of(struct json *to, uint32_t location)
{
	while (to->numbers.n <= location)
		array_push(&to->numbers);
	if (!to->numbers.at[location]) {
		*array_push(&to->frames) = location;
		to->numbers.at[location] = (uint32_t)to->frames.n;
		foresee_frame(to, location);
	}
	return to->numbers.at[location] - 1;
}

static void put_task(struct json *to, const struct counted_stack *stack)
{
	struct strbuf *text = &to->out.text;
	_cleanup_strbuf_ struct strbuf comm = { 0 };

	if (stack->context->is_rest) {
		strbuf_puts(text, ", \"rest\": true");
		return;
	}
	counted_put_comm(&to->counted, stack, &comm);
	strbuf_puts(text, ", \"comm\": ");
	escape_json_visible(text, comm.at);
	strbuf_printf(text, ", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32,
		stack->context->pid, stack->context->tid);
}

static void put_stack(void *data, const struct counted_stack *stack)
{
	struct json *to = data;
	uint32_t event = stack->context->event;
	struct strbuf *text = &to->out.text;
	struct chain chain = stack->chain;
	const char *separator = "";

	strbuf_puts(text, to->separator);
	strbuf_printf(text, "\n{\"event\": %" PRIu32, event);
	put_task(to, stack);
	if (to->counted.result.options->time)
		strbuf_printf(text, ", \"state\": \"%s\"",
			thread_state_name(counted_state(&to->counted, stack)));
	strbuf_printf(text,
		", \"samples\": %" PRIu64 ", \"period\": %" PRIu64
		", \"frames\": [",
		stack->samples, stack->period);
	while (!chain_is_empty(&chain)) {
		strbuf_printf(text, "%s%" PRIu32, separator,
			number_of(to, chain_last(&chain)));
		separator = ",";
	}
	strbuf_puts(text, "]}");
	to->separator = ",";
	to->by_event.at[event].samples += stack->samples;
	to->by_event.at[event].period += stack->period;
}

static void put_frames(struct json *to)
{
	const char *separator = "\n";
	struct outflow *out = &to->out;
	size_t before;

	strbuf_puts(&out->text, "],\n\"frames\": [");
	array_each(&to->frames, location) {
		before = out->text.n;
		strbuf_puts(&out->text, separator);
		put_frame(to, *location, &out->text);
		separator = ",\n";
		out->once.size_put += out->text.n - before;
		outflow_some(out);
	}
}

static void put_events(struct json *to)
{
	const struct inputs *inputs = &to->counted.result.inputs;
	struct strbuf *text = &to->out.text;
	size_t i;

	strbuf_puts(text, "],\n\"events\": [");
	for (i = 0; i < inputs->events.n; i++) {
		strbuf_puts(text, i ? ",\n{\"event\": " : "\n{\"event\": ");
		escape_json_visible(text, inputs->events.at[i].name);
		strbuf_printf(text,
			", \"samples\": %" PRIu64 ", \"period\": %" PRIu64
			"}",
			to->by_event.at[i].samples,
			to->by_event.at[i].period);
	}
	strbuf_puts(text, "]}\n");
}

static void put_all(struct json *to)
{
	size_t i;

	to->functions.resolver = to->counted.result.resolver;
	for (i = 0; i < to->counted.result.inputs.events.n; i++)
		array_push(&to->by_event);
	to->out.once.total = resolver_n_locations(to->functions.resolver);
	strbuf_printf(&to->out.text, "{\"version\": %d,\n\"stacks\": [",
		SHAPE_VERSION);
	counted_each(&to->counted, &to->out, put_stack, to);
	put_frames(to);
	put_events(to);
}

static struct error *run(const struct options *options, int fd)
{
	struct json to = { .out = outflow_begin(options->output, &fd),
		.separator = "" };
	struct error *err = counted_make(options,
		&(struct counted_wish){ .keys = "comm,pid,tid",
			.has_lines = true,
			.has_order = true },
		&to.counted);

	if (!err)
		put_all(&to);
	err = outflow_end(&to.out, err);
	code_names_deinit(&to.functions);
	strbuf_free(&to.frame);
	array_free(&to.frames);
	array_free(&to.numbers);
	array_free(&to.by_event);
	counted_deinit(&to.counted);
	return err;
}

const struct export export_json = {
	"json", false, run
};
