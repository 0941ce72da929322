/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script_record.h"

#include <stdio.h>

#include "report/script/record_text.h"
#include "report/script/script_value.h"

#define NOBODY UINT32_MAX

static const struct shown {
	uint32_t type;
	size_t slot; /* in struct script_records */
} shown[] = {
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

	for (i = 0; i < ARRAY_SIZE(shown); i++)
		types_ret[shown[i].type] |=
			*((const bool *)records + shown[i].slot);
}

struct who {
	uint32_t pid, tid;
};

/* Whom RECORD is about, who need not be the one that it was written by. */
static struct who find_subject(
	const struct record *record, const struct sample_id *id)
{
	struct bytes b = record_payload(record);
	struct who who = { id->pid, id->tid };
	struct record_task task;

	switch (record->type) {
	case RECORD_FORK:
	case RECORD_EXIT:
		if (record_read_task(record, &task))
			who = (struct who){ task.pid, task.tid };
		break;
	case RECORD_COMM:
	case RECORD_MMAP:
	case RECORD_MMAP2:
	case RECORD_NAMESPACES:
		who.pid = bytes_u32(&b);
		who.tid = bytes_u32(&b);
		break;
	default: break;
	}
	return who;
}

static const char *find_detail(const struct record *record)
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

/* Where there is no trailer the record itself is all that tells. */
static struct sample_id read_id(const struct sample_layout *layout,
	const struct record *record)
{
	struct sample_id id;
	struct record_task task;
	struct who who;

	sample_id_read(layout, record, &id);
	if (layout->has_trailer)
		return id;
	who = find_subject(record, &id);
	id = (struct sample_id){ .pid = who.pid, .tid = who.tid };
	if ((record->type == RECORD_FORK || record->type == RECORD_EXIT) &&
		record_read_task(record, &task))
		id.time = task.time;
	return id;
}

static void put_start(const struct script_teller *teller,
	const struct record *record, uint64_t position,
	const struct sample_id *id, struct strbuf *out)
{
	struct who who = find_subject(record, id);
	struct maps_context at = maps_context(teller->survey->maps, who.pid,
		who.tid, survey_time(teller->survey, id->time, position));
	char misc[5];

	snprintf(misc, sizeof(misc), "%s%s",
		script_value_mode(record->misc & MISC_CPUMODE),
		find_detail(record));
	script_line_put_start(teller->line,
		reader_event_of(teller->reader, record),
		&(struct script_start){ .pid = id->pid,
			.tid = id->tid,
			.cpu = id->cpu,
			.subject = who.tid,
			.comm = at.comm,
			.time = id->time,
			.misc = misc },
		out);
}

void script_record_put(const struct script_teller *teller,
	const struct record *record, uint64_t position, struct strbuf *out)
{
	const struct sample_layout *layout = reader_layout(
		teller->reader, reader_event_of(teller->reader, record));
	struct sample_id id = { 0 };

	if (record_is_sideband(record->type)) {
		id = read_id(layout, record);
		if (teller->cpus->list.n && !cpus_has(teller->cpus, id.cpu))
			return;
		if (find_subject(record, &id).tid != NOBODY)
			put_start(teller, record, position, &id, out);
	}
	strbuf_printf(out, "PERF_RECORD_%s", record_name(record->type));
	record_text(record, layout, out);
	strbuf_putc(out, '\n');
}
