/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/field.h"

#include <inttypes.h>

/* A thread whose name isn't known is told by its number, marked so. */
#define UNNAMED (UINT64_C(1) << 32)

uint64_t field_comm_value(const struct field_names *names _unused_,
	const struct context *context, uint32_t location _unused_)
{
	return context->comm ? context->comm : UNNAMED | context->tid;
}

void field_comm_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	uint32_t comm = value & UNNAMED ? 0 : (uint32_t)value;
	char unnamed[SURVEY_COMM_SIZE];

	strbuf_puts(out,
		survey_comm(names->survey, comm, (uint32_t)value, unnamed));
}

static uint64_t dso_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location)
{
	return resolver_location(names->resolver, location)->dso_name;
}

static void dso_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	strbuf_puts(out, resolver_dso_name(names->resolver, (uint32_t)value));
}

static uint64_t symbol_value(const struct field_names *names,
	const struct context *context _unused_, uint32_t location)
{
	return resolver_location(names->resolver, location)->shown_as;
}

static void symbol_text(
	const struct field_names *names, uint64_t value, struct strbuf *out)
{
	uint32_t location = (uint32_t)value;

	strbuf_printf(out, "[%c] %s",
		resolver_location(names->resolver, location)->level,
		resolver_symbol_name(names->resolver, location));
}

static uint64_t pid_value(const struct field_names *names _unused_,
	const struct context *context, uint32_t location _unused_)
{
	return context->pid;
}

static uint64_t tid_value(const struct field_names *names _unused_,
	const struct context *context, uint32_t location _unused_)
{
	return context->tid;
}

static uint64_t cpu_value(const struct field_names *names _unused_,
	const struct context *context, uint32_t location _unused_)
{
	return context->cpu;
}

static void task_text(const struct field_names *names _unused_,
	uint64_t value, struct strbuf *out)
{
	strbuf_printf(out, "%7d", (int32_t)value);
}

static void cpu_text(const struct field_names *names _unused_, uint64_t value,
	struct strbuf *out)
{
	if (value == UINT32_MAX)
		strbuf_puts(out, " -1");
	else
		strbuf_printf(out, "%03" PRIu64, value);
}

static const struct field fields[] = {
	{ "comm", "Command", .value = field_comm_value,
		.text = field_comm_text },
	{ "dso", "Shared Object", .value = dso_value, .text = dso_text },
	{ "sym", "Symbol", .value = symbol_value, .text = symbol_text },
	{ "pid", "    Pid", .needs_pid = true, .is_number = true,
		.value = pid_value, .text = task_text },
	{ "tid", "    Tid", .needs_tid = true, .is_number = true,
		.value = tid_value, .text = task_text },
	{ "cpu", "CPU", .needs_cpu = true, .is_number = true,
		.value = cpu_value, .text = cpu_text },
	{ 0 },
};

const struct field *field_table(void)
{
	return fields;
}

const struct field *field_find(const char *name)
{
	const struct field *field;

	if (string_is(name, "symbol"))
		name = "sym";
	for (field = fields; field->name; field++)
		if (string_is(field->name, name))
			return field;
	return NULL;
}
