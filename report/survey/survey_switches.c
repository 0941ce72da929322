/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds context switches and wakeups to a survey: SURVEY_SWITCHES. */
#include "config.h"

#include <stdlib.h>

#include "common/file/meta_section.h"
#include "common/perf/sched_waking.h"
#include "report/survey/offcpu_time.h"
#include "report/survey/survey.h"
#include "report/survey/survey_private.h"
#include "report/survey/tracing.h"

/* --- samples of sched:sched_switch ------------------------------------- */

/*
 * A sample of sched:sched_switch: the thread that leaves a CPU and the thread
 * that runs next. Recordings of perf often have these samples and no SWITCH
 * records.
 */
struct sched_switch {
	uint32_t prev, next; /* thread IDs */
	bool is_preempted;   /* PREV is still runnable */
};

/*
 * TASK_REPORT_MAX of linux/sched.h: a prev_state with this bit or a higher bit,
 * or a prev_state of 0, means that the thread was preempted.
 */
#define STATE_PREEMPTED_FROM 0x100u

static struct bytes raw_bytes_at(const struct survey_switch_offsets *offsets,
	const struct sample *sample, size_t place)
{
	struct bytes b = bytes_of(sample->raw, sample->raw_size, offsets->swap);

	bytes_take(&b, place);
	return b;
}

/* Returns false if the raw data of SAMPLE are too short. */
static bool sched_switch_read(const struct survey_switch_offsets *offsets,
	const struct sample *sample, struct sched_switch *ret)
{
	struct bytes prev = raw_bytes_at(offsets, sample, offsets->prev_pid);
	struct bytes state = raw_bytes_at(offsets, sample, offsets->prev_state);
	struct bytes next = raw_bytes_at(offsets, sample, offsets->next_pid);
	uint64_t value;

	ret->prev = bytes_u32(&prev);
	ret->next = bytes_u32(&next);
	value = offsets->state_size == 8 ? bytes_u64(&state)
					 : bytes_u32(&state);
	ret->is_preempted = !value || value >= STATE_PREEMPTED_FROM;
	return prev.ok && state.ok && next.ok;
}

/* --- the pass ---------------------------------------------------------- */

void survey_begin_switches(struct survey_pass *pass)
{
	const struct features *features = reader_features(pass->reader);
	struct tracing tracing;
	const char *text;
	size_t size;

	if (!pass->wants_switches)
		return;
	pass->switches_event = offcpu_record_event(pass->reader);
	pass->traced_event = offcpu_traced_event(pass->reader);
	pass->waking_event = offcpu_waking_event(pass->reader);
	if (pass->waking_event != OFFCPU_NO_EVENT &&
		!pass->sched_waking_offset &&
		tracing_find(
			features, SCHED_WAKING_NAME, &tracing, &text, &size)) {
		pass->sched_waking_offset = sched_waking_offset(text, size);
		pass->swaps_waking = tracing.b.swap;
	}
	if (pass->traced_event != OFFCPU_NO_EVENT &&
		!pass->traced_offsets.next_pid &&
		tracing_find(features, "sched_switch", &tracing, &text, &size))
		pass->traced_offsets = (struct survey_switch_offsets){
			.prev_pid = sched_waking_field_offset(
				text, size, "pid_t prev_pid"),
			.prev_state = sched_waking_field_offset(
				text, size, "long prev_state"),
			.next_pid = sched_waking_field_offset(
				text, size, "pid_t next_pid"),
			.state_size = tracing.long_size,
			.swap = tracing.b.swap,
		};
	/*
	 * Switch and wakeup samples are in blocks that are otherwise skipped.
	 */
	pass->wants_samples = pass->waking_event != OFFCPU_NO_EVENT ||
		pass->traced_event != OFFCPU_NO_EVENT;
}

static bool reserve_switch(struct survey_pass *pass, uint32_t pid, uint32_t tid)
{
	uint64_t cost = SWITCHES_COST;

	if (switches_is_new(&pass->survey->switches, pid, tid))
		cost += SWITCHES_THREAD_COST;
	return survey_reserve(pass, cost);
}

void survey_add_switch_sample(
	struct survey_pass *pass, const struct record *record)
{
	struct switches *switches = &pass->survey->switches;
	uint32_t event = (uint32_t)reader_event_of(pass->reader, record), tid;
	struct switch_record own;
	struct sched_switch both;
	struct sample sample;

	if ((event != pass->waking_event && event != pass->traced_event) ||
		!sample_read(
			reader_layout(pass->reader, event), record, &sample))
		return;
	if (event == pass->waking_event) {
		if (pass->sched_waking_offset &&
			sched_waking_read(&sample, pass->sched_waking_offset,
				pass->swaps_waking, &tid) &&
			reserve_switch(pass, 0, tid))
			switches_add_wakeup(switches, tid, sample.time);
		return;
	}
	/* One thread leaves the CPU, and another one starts to run on it. */
	if (!pass->traced_offsets.next_pid ||
		!sched_switch_read(&pass->traced_offsets, &sample, &both) ||
		!reserve_switch(pass, sample.pid, both.prev) ||
		!reserve_switch(pass, 0, both.next))
		return;
	own = (struct switch_record){ sample.pid, both.prev, sample.cpu,
		sample.time };
	switches_add(switches,
		both.is_preempted ? SWITCH_PREEMPTED : SWITCH_OUT, &own);
	own.tid = both.next;
	own.pid = 0;
	switches_add(switches, SWITCH_IN, &own);
}

/*
 * Reads the thread from the body of FORK and EXIT records: their trailer
 * (sample_id) has the thread that caused the record.
 */
static bool read_switch_record(struct survey_pass *pass,
	const struct record *record, struct switch_record *ret)
{
	struct record_task task;
	struct sample_id id;

	if (!sample_id_read(reader_layout(pass->reader,
				    reader_event_of(pass->reader, record)),
		    record, &id))
		return false;
	*ret = (struct switch_record){ id.pid, id.tid, id.cpu, id.time };
	if (record->type != RECORD_FORK && record->type != RECORD_EXIT)
		return true;
	if (!record_read_task(record, &task))
		return false;
	ret->pid = task.pid;
	ret->tid = task.tid;
	return true;
}

bool survey_add_switch_record(
	struct survey_pass *pass, const struct record *record)
{
	struct switches *switches = &pass->survey->switches;
	enum switch_kind kind = SWITCH_IN;
	struct switch_record own;
	bool is_of_event;

	/*
	 * Without an attribute, the offset of the record's time is not known.
	 */
	if (!reader_n_events(pass->reader))
		return true;
	/*
	 * Several events can record the same switch; the records of one event
	 * are used.
	 */
	is_of_event =
		reader_event_of(pass->reader, record) == pass->switches_event;
	switch (record->type) {
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		if (!is_of_event)
			return true;
		if (record->misc & MISC_SWITCH_OUT)
			kind = record->misc & MISC_SWITCH_OUT_PREEMPT
				? SWITCH_PREEMPTED
				: SWITCH_OUT;
		break;
	case RECORD_FORK: kind = SWITCH_CREATED; break;
	case RECORD_EXIT: kind = SWITCH_EXITED; break;
	case RECORD_LOST: break;
	default: return true;
	}
	if (!read_switch_record(pass, record, &own) ||
		!reserve_switch(pass, own.pid, own.tid))
		return false;
	if (record->type != RECORD_LOST)
		return switches_add(switches, kind, &own);
	/*
	 * A LOST record can stand for lost SWITCH records. dwell's recorder has
	 * separate ring buffers for sideband. Other recorders have one ring
	 * buffer for all records, in which any event can report the loss.
	 */
	const char *version = reader_features(pass->reader)->version;
	bool can_lose_switches = !version || !strstr(version, "(dwell ") ||
		pass->switches_event == OFFCPU_NO_EVENT || is_of_event;

	return !can_lose_switches ||
		switches_add_loss(switches, own.cpu, own.time);
}

void survey_end_switches(struct survey_pass *pass)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	const char *key, *value;
	/* the time when sampling ended, if dwell made the recording */
	uint64_t end = 0;
	struct bytes meta;

	if (!pass->wants_switches)
		return;
	meta = meta_section_read(pass->reader, &raw);
	while (meta_section_next(&meta, &key, &value))
		if (string_is(key, META_CLOCK_CLOSE)) {
			end = strtoull(value, NULL, 10);
			break;
		}
	switches_finish(
		&pass->survey->switches, MAX(pass->survey->last_time, end));
}
