/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_record.h"

#include <stdio.h>

#include "report/script/record_text.h"
#include "report/script/script_value.h"

#define NO_THREAD UINT32_MAX

static const struct record_options {
	uint32_t type;
	size_t slot; /* in struct script_records */
} record_options[] = {
	{ RECORD_COMM, offsetof(struct script_records, tasks) },
	{ RECORD_FORK, offsetof(struct script_records, tasks) },
	{ RECORD_EXIT, offsetof(struct script_records, tasks) },
	{ RECORD_MMAP, offsetof(struct script_records, maps) },
	{ RECORD_MMAP2, offsetof(struct script_records, maps) },
	{ RECORD_SWITCH, offsetof(struct script_records, switches) },
	{ RECORD_SWITCH_CPU_WIDE, offsetof(struct script_records, switches) },
	{ RECORD_NAMESPACES, offsetof(struct script_records, namespaces) },
	{ RECORD_CGROUP, offsetof(struct script_records, cgroups) },
	{ RECORD_LOST, offsetof(struct script_records, lost) },
	{ RECORD_BPF_EVENT, offsetof(struct script_records, bpf) },
	{ RECORD_KSYMBOL, offsetof(struct script_records, bpf) },
	{ RECORD_KSYMBOL, offsetof(struct script_records, text_pokes) },
	{ RECORD_TEXT_POKE, offsetof(struct script_records, text_pokes) },
	{ RECORD_FINISHED_ROUND, offsetof(struct script_records, rounds) },
};

void script_records_types(
	const struct script_records *records, bool types_ret[RECORD_END])
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(record_options); i++)
		types_ret[record_options[i].type] |=
			*((const bool *)records + record_options[i].slot);
}

struct record_task_ids {
	uint32_t pid, tid;
};

/* Returns the thread that RECORD describes, which can differ from the writer.
 */
static struct record_task_ids find_record_subject(
	const struct record *record, const struct sample_id *id)
{
	struct bytes b = record_payload(record);
	struct record_task_ids subject = { id->pid, id->tid };
	struct record_task task;

	switch (record->type) {
	case RECORD_FORK:
	case RECORD_EXIT:
		if (record_read_task(record, &task))
			subject =
				(struct record_task_ids){ task.pid, task.tid };
		break;
	case RECORD_COMM:
	case RECORD_MMAP:
	case RECORD_MMAP2:
	case RECORD_NAMESPACES:
		subject.pid = bytes_u32(&b);
		subject.tid = bytes_u32(&b);
		break;
	default: break;
	}
	return subject;
}

static const char *record_misc_letters(const struct record *record)
{
	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2: return record->misc & MISC_MMAP_DATA ? "M" : "";
	case RECORD_COMM: return record->misc & MISC_COMM_EXEC ? "E" : "";
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		if (!(record->misc & MISC_SWITCH_OUT))
			return "";
		return record->misc & MISC_SWITCH_OUT_PREEMPT ? "Sp" : "S";
	default: return "";
	}
}

/* Records without a trailer have only the thread and time in their fields. */
static struct sample_id read_record_id(
	const struct sample_layout *layout, const struct record *record)
{
	struct sample_id id;
	struct record_task task;
	struct record_task_ids subject;

	sample_id_read(layout, record, &id);
	if (layout->has_trailer)
		return id;
	subject = find_record_subject(record, &id);
	id = (struct sample_id){ .pid = subject.pid, .tid = subject.tid };
	if ((record->type == RECORD_FORK || record->type == RECORD_EXIT) &&
		record_read_task(record, &task))
		id.time = task.time;
	return id;
}

static void put_record_start(const struct script_records_source *source,
	const struct record *record, uint64_t position,
	const struct sample_id *id, struct strbuf *out)
{
	struct record_task_ids subject = find_record_subject(record, id);
	struct maps_context at = maps_context(source->survey->maps, subject.pid,
		subject.tid, survey_time(source->survey, id->time, position));
	char misc[5];

	snprintf(misc, sizeof(misc), "%s%s",
		script_value_mode(record->misc & MISC_CPUMODE),
		record_misc_letters(record));
	script_line_put_start(source->line,
		reader_event_of(source->reader, record),
		&(struct script_start){ .pid = id->pid,
			.tid = id->tid,
			.cpu = id->cpu,
			.subject = subject.tid,
			.comm = at.comm,
			.time = id->time,
			.misc = misc },
		out);
}

void script_record_put(const struct script_records_source *source,
	const struct record *record, uint64_t position, struct strbuf *out)
{
	const struct sample_layout *layout = reader_layout(
		source->reader, reader_event_of(source->reader, record));
	struct sample_id id = { 0 };

	if (record_is_sideband(record->type)) {
		id = read_record_id(layout, record);
		if (source->cpus->list.n && !cpus_has(source->cpus, id.cpu))
			return;
		if (find_record_subject(record, &id).tid != NO_THREAD)
			put_record_start(source, record, position, &id, out);
	}
	strbuf_printf(out, "PERF_RECORD_%s", record_name(record->type));
	record_text(record, layout, out);
	strbuf_putc(out, '\n');
}
