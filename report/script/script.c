/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/script/script.h"

#include <stdio.h>

#include "common/util/cpus.h"
#include "report/result/ordered_samples.h"
#include "report/script/record_text.h"
#include "report/script/script_line.h"
#include "report/script/script_value.h"
#include "report/util/style.h"
#include "report/view/header.h"

#define NO_THREAD UINT32_MAX

struct script {
	struct result *result;
	const struct script_out *out;
	struct script_line *line;
	uint64_t done; /* bytes of records read so far, for .more() */
	bool has_samples, is_over;
};

/* --- records other than samples ------------------------------------------ */

/* The record types of the options --show-*-events of perf-script(1). */
static const struct record_options {
	uint32_t type;
	size_t slot; /* offset of the option in struct style_records */
} record_options[] = {
	{ RECORD_COMM, offsetof(struct style_records, tasks) },
	{ RECORD_FORK, offsetof(struct style_records, tasks) },
	{ RECORD_EXIT, offsetof(struct style_records, tasks) },
	{ RECORD_MMAP, offsetof(struct style_records, maps) },
	{ RECORD_MMAP2, offsetof(struct style_records, maps) },
	{ RECORD_SWITCH, offsetof(struct style_records, switches) },
	{ RECORD_SWITCH_CPU_WIDE, offsetof(struct style_records, switches) },
	{ RECORD_NAMESPACES, offsetof(struct style_records, namespaces) },
	{ RECORD_CGROUP, offsetof(struct style_records, cgroups) },
	{ RECORD_LOST, offsetof(struct style_records, lost) },
	{ RECORD_BPF_EVENT, offsetof(struct style_records, bpf) },
	{ RECORD_KSYMBOL, offsetof(struct style_records, bpf) },
	{ RECORD_KSYMBOL, offsetof(struct style_records, text_pokes) },
	{ RECORD_TEXT_POKE, offsetof(struct style_records, text_pokes) },
	{ RECORD_FINISHED_ROUND, offsetof(struct style_records, rounds) },
};

struct record_task_ids {
	uint32_t pid, tid;
};

/*
 * Returns the thread that RECORD describes. The thread in ID, which caused
 * RECORD, can be another thread.
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

/*
 * Returns the thread, CPU and time of RECORD. Without a sample_id trailer, only
 * the thread, and for FORK and EXIT the time, are known from the fields of
 * RECORD.
 */
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

/*
 * Prints a line for RECORD: the first fields of a sample's line (such as
 * thread, CPU and time), and the text of RECORD. POSITION is as in struct
 * chunk.
 */
static void script_record_put(
	struct script *script, const struct record *record, uint64_t position)
{
	struct reader *reader = result_input(script->result)->reader;
	const struct cpus *cpus = &script->result->options->filter.cpus;
	const struct sample_layout *layout =
		reader_layout(reader, reader_event_of(reader, record));
	struct strbuf *out = script->out->text;
	struct sample_id id = { 0 };

	if (record_is_sideband(record->type)) {
		id = read_record_id(layout, record);
		if (cpus->list.n && !cpus_has(cpus, id.cpu))
			return;
		if (find_record_subject(record, &id).tid != NO_THREAD) {
			const struct input *input =
				result_input(script->result);
			struct record_task_ids subject =
				find_record_subject(record, &id);
			struct maps_context at = maps_context(
				input->survey.maps, subject.pid, subject.tid,
				survey_time(&input->survey, id.time, position));
			char misc[5];

			snprintf(misc, sizeof(misc), "%s%s",
				script_value_mode(record->misc & MISC_CPUMODE),
				record_misc_letters(record));
			script_line_put_start(script->line,
				reader_event_of(input->reader, record),
				&(struct script_start){ .pid = id.pid,
					.tid = id.tid,
					.cpu = id.cpu,
					.subject = subject.tid,
					.comm = at.comm,
					.time = id.time,
					.misc = misc },
				script->out->text);
		}
	}
	strbuf_printf(out, "PERF_RECORD_%s", record_name(record->type));
	record_text(record, layout, out);
	strbuf_putc(out, '\n');
}

/* --- samples and records ------------------------------------------------- */

/* Returns whether more records are to be printed. */
static bool check_output(struct script *script)
{
	script->is_over = !script->out->more(script->out->data, script->done);
	return !script->is_over;
}

static bool add_sample_line(void *data, const struct ordered_sample *sample)
{
	struct script *script = data;

	if (script->is_over)
		return false;
	script_line_put(script->line, sample->event, sample->sample,
		&sample->at, script->out->text);
	script->done = sample->read;
	script->has_samples = true;
	return check_output(script);
}

static bool add_record_line(
	void *data, const struct record *record, uint64_t position)
{
	struct script *script = data;

	if (script->is_over)
		return false;
	script_record_put(script, record, position);
	return check_output(script);
}

static void print_records(
	struct script *script, struct ordered_samples *ordered)
{
	const struct options *options = script->result->options;
	struct ordered_samples_config config = {
		.is_unsorted = options->records.rounds,
		.take = add_sample_line,
		.take_other = add_record_line,
		.data = script
	};

	size_t i;

	for (i = 0; i < ARRAY_SIZE(record_options); i++)
		config.types[record_options[i].type] |=
			*((const bool *)&options->records +
				record_options[i].slot);
	ordered_samples_run(ordered, &config);
	if (!script->has_samples && !script->is_over)
		result_report_empty(script->result);
}

struct error *script_run(struct result *result, const struct script_out *out)
{
	const struct input *input = result_input(result);
	const struct options *options = result->options;
	struct script script = { .result = result, .out = out };
	struct ordered_samples *ordered = NULL;
	struct error *err = script_line_create(input->reader, &input->survey,
		result->resolver, &options->script, &script.line);

	if (err)
		return err;
	if (options->facts.only_header)
		reader_check_blocks(input->reader);
	else
		ordered = ordered_samples_create(result,
			!options->script.hides_chain ||
				script_choice_names(&options->script.choice,
					SCRIPT_STACK_ORIGIN));
	out->begin(out->data, ordered ? ordered_samples_size(ordered) : 0);
	if (options->facts.shows_header)
		header_put_all(result, out->text);
	if (ordered)
		print_records(&script, ordered);
	ordered_samples_destroy(ordered);
	script_line_destroy(script.line);
	return NULL;
}
