/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns of the context of a sample: thread, CPU, time, event, recording,
 * tracepoint data; and the numbers of a row.
 */
#include "config.h"

#include "report/rows/field.h"

#include <inttypes.h>

#include "report/scan/trace_keys.h"

#define UNKNOWN_CPU UINT32_MAX

FIELD_VALUE(pid_value, context->ids.pid)
FIELD_VALUE(tid_value, context->ids.tid)
FIELD_VALUE(cpu_value, context->cpu)

static const struct machine_topology *topology_of(
	const struct field_names *names, const struct context *context)
{
	const struct input *input = &names->inputs->at.at[context->input];

	return &reader_features(input->reader)->topology;
}

FIELD_VALUE(socket_value,
	(uint64_t)machine_socket(topology_of(names, context), context->cpu))
FIELD_VALUE(node_value,
	(uint64_t)machine_node(topology_of(names, context), context->cpu))
FIELD_VALUE(event_value, context->event)
FIELD_TEXT(task_text, strbuf_printf(out, "%7d", (int32_t)value))

static FIELD_TEXT_HEAD(cpu_text)
{
	if (value == UNKNOWN_CPU || value == UINT64_MAX)
		strbuf_puts(out, " -1");
	else
		strbuf_printf(out, "%03" PRIu64, value);
}

FIELD_TEXT(event_text, strbuf_puts(out, names->inputs->events.at[value].name))

static uint64_t take_time_quantum(const struct sample_key_source *source)
{
	uint64_t time = source->sample->time;

	return source->quantum_ns ? time - time % source->quantum_ns : time;
}

static FIELD_TEXT_HEAD(time_text)
{
	strbuf_printf(out, "%" PRIu64 ".", value / NSEC_PER_SEC);
	if (names->has_ns)
		strbuf_printf(out, "%09" PRIu64, value % NSEC_PER_SEC);
	else
		strbuf_printf(out, "%06" PRIu64, value % NSEC_PER_SEC / 1000);
}

FIELD_TEXT(state_text,
	strbuf_puts(out, offcpu_state_name((enum offcpu_state)value)))

const struct field field_task[] = {
	{ "comm", "Command", .value = field_comm_value,
		.text = field_comm_text },
	{ "pid", "    Pid", .needs_pid = true, .is_number = true,
		.value = pid_value, .text = task_text },
	{ "tid", "    Tid", .needs_tid = true, .is_number = true,
		.value = tid_value, .text = task_text },
	{ "cpu", "CPU", .needs_cpu = true, .is_number = true,
		.value = cpu_value, .text = cpu_text },
	{ "socket", "Socket", .needs = FIELD_NEEDS_SOCKETS, .needs_cpu = true,
		.is_number = true, .value = socket_value, .text = cpu_text },
	{ "node", "Node", .needs = FIELD_NEEDS_NODES, .needs_cpu = true,
		.is_number = true, .value = node_value, .text = cpu_text },
	{ "time", "Time", .needs = FIELD_NEEDS_TIME,
		.take = { take_time_quantum }, .text = time_text },
	{ "state", "State", .take = { sample_key_state }, .text = state_text },
	{ "event", "Event", .value = event_value, .text = event_text },
	{ 0 },
};

/* --- recordings -------------------------------------------------------------
 */

FIELD_VALUE(file_value,
	string_table_intern(names->texts,
		reader_path(names->inputs->at.at[context->input].reader)))
FIELD_VALUE(host_value,
	string_table_intern(names->texts,
		input_host(&names->inputs->at.at[context->input])))

const struct field field_input[] = {
	{ "file", "File", .value = file_value, .text = field_text_text },
	{ "host", "Host", .value = host_value, .text = field_text_text },
	{ 0 },
};

/* --- tracepoints ------------------------------------------------------------
 */

static uint64_t take_trace(const struct sample_key_source *source)
{
	return trace_keys_find(source->traces,
		(struct trace_event){ source->input, source->event },
		source->sample->raw, source->sample->raw_size, source->data);
}

FIELD_TEXT(trace_text, strbuf_puts(out, trace_keys_text(names->traces, value)))

const struct field field_trace[] = {
	{ "trace", "Trace output", .needs = FIELD_NEEDS_TRACES,
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

/* --- numbers of a row -------------------------------------------------------
 */

FIELD_TAKE(take_cpumode, source->cpumode)

const struct field field_numbers[] = {
	{ "overhead", "Overhead", FIELD_SHARE, FIELD_NUMBER_SELF },
	{ "overhead_children", "Children", FIELD_SHARE, FIELD_NUMBER_CHILDREN },
	{ "overhead_sys", "sys", FIELD_SHARE, FIELD_NUMBER_KERNEL,
		.take = { take_cpumode } },
	{ "overhead_us", "usr", FIELD_SHARE, FIELD_NUMBER_USER,
		.take = { take_cpumode } },
	{ "overhead_guest_sys", "guest sys", FIELD_SHARE,
		FIELD_NUMBER_GUEST_KERNEL, .take = { take_cpumode } },
	{ "overhead_guest_us", "guest usr", FIELD_SHARE,
		FIELD_NUMBER_GUEST_USER, .take = { take_cpumode } },
	{ "sample", "Samples", FIELD_COUNT, FIELD_NUMBER_SAMPLES },
	{ "period", "Period", FIELD_COUNT, FIELD_NUMBER_SELF },
	{ "ipc", "IPC", FIELD_RATIO, .ratio = "instructions/cycles" },
	{ 0 },
};
