/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tracepoints recorded. */
#include "config.h"

#include "report/rows/field.h"
#include "report/scan/trace_keys.h"

static uint64_t take_trace(const struct take_source *source)
{
	return traces_find(source->traces,
		(struct trace_event){ source->input, source->event },
		source->sample->raw, source->sample->raw_size, source->data);
}

static void trace_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	strbuf_puts(out, traces_text(names->traces, value));
}

const struct field field_trace[] = {
	{ "trace", "Trace output", .needs = NEEDS_TRACES,
		.take = { take_trace }, .text = trace_text },
	{ 0 },
};

struct field *field_of_tracepoint(const char *name)
{
	struct field *field = xcalloc(1, sizeof(*field));
	const char *dot = strrchr(name, '.');

	*field = field_trace[0];
	field->name = name;
	field->header = dot ? dot + 1 : name;
	field->data = name;
	return field;
}
