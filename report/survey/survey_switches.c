/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a survey learns of when threads ran: SURVEY_SWITCHES. */
#include "config.h"

#include <stdlib.h>

#include "common/perf/sched_waking.h"
#include "report/survey/offcpu_time.h"
#include "report/survey/sched_switch.h"
#include "report/survey/survey.h"
#include "report/survey/survey_private.h"
#include "report/survey/tracing.h"

/* Where the recording says that wakings have who is woken. */
static void find_wakings(struct survey_pass *pass)
{
	struct tracing tracing;
	const char *text;
	size_t size;

	if (pass->waking_place ||
		!tracing_find(reader_features(pass->reader), WAKING_NAME,
			&tracing, &text, &size))
		return;
	pass->waking_place = waking_place(text, size);
	pass->swaps_waking = tracing.b.swap;
}

void survey_find_switches(struct survey_pass *pass)
{
	if (!pass->wants_switches)
		return;
	pass->switches_event = offcpu_records(pass->reader);
	pass->traced_event = offcpu_traced(pass->reader);
	pass->waking_event = offcpu_wakings(pass->reader);
	if (pass->waking_event != OFFCPU_NO_EVENT)
		find_wakings(pass);
	if (pass->traced_event != OFFCPU_NO_EVENT &&
		!pass->traced_places.next_pid)
		sched_switch_find(
			reader_features(pass->reader), &pass->traced_places);
	/* They stand in blocks that are passed over otherwise. */
	pass->wants_samples = pass->waking_event != OFFCPU_NO_EVENT ||
		pass->traced_event != OFFCPU_NO_EVENT;
}

static bool affords(struct survey_pass *pass, uint32_t tid)
{
	uint64_t cost = SWITCHES_COST;

	if (switches_is_new(&pass->survey->switches, tid))
		cost += SWITCHES_THREAD_COST;
	return reader_affords(pass->reader, cost);
}

static void see_waking(struct survey_pass *pass, const struct sample *sample)
{
	uint32_t tid;

	if (pass->waking_place &&
		waking_read(
			sample, pass->waking_place, pass->swaps_waking, &tid) &&
		affords(pass, tid))
		switches_wake(&pass->survey->switches, tid, sample->time);
}

/* One thread leaves, and another one takes its place. */
static void see_traced(struct survey_pass *pass, const struct sample *sample)
{
	struct switches *switches = &pass->survey->switches;
	struct switch_record record = { sample->pid, 0, sample->cpu,
		sample->time };
	struct sched_switch both;

	if (!pass->traced_places.next_pid ||
		!sched_switch_read(&pass->traced_places, sample, &both) ||
		!affords(pass, both.prev) || !affords(pass, both.next))
		return;
	record.tid = both.prev;
	switches_add(switches,
		both.is_preempted ? SWITCH_PREEMPTED : SWITCH_OUT, &record);
	record.tid = both.next;
	record.pid = 0;
	switches_add(switches, SWITCH_IN, &record);
}

void survey_see_sample(struct survey_pass *pass, const struct record *record)
{
	uint32_t event = (uint32_t)reader_event_of(pass->reader, record);
	struct sample sample;

	if ((event != pass->waking_event && event != pass->traced_event) ||
		!sample_read(
			reader_layout(pass->reader, event), record, &sample))
		return;
	if (event == pass->waking_event)
		see_waking(pass, &sample);
	else
		see_traced(pass, &sample);
}

static enum switch_kind kind_of(const struct record *record)
{
	switch (record->type) {
	case RECORD_FORK: return SWITCH_BORN;
	case RECORD_EXIT: return SWITCH_GONE;
	default: break;
	}
	if (!(record->misc & MISC_SWITCH_OUT))
		return SWITCH_IN;
	return record->misc & MISC_SWITCH_OUT_PREEMPT ? SWITCH_PREEMPTED
						      : SWITCH_OUT;
}

/* Whose they are: of FORK and EXIT the trailer tells who caused them. */
static bool read_record(struct survey_pass *pass, const struct record *record,
	struct switch_record *ret)
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

/* Several events may tell of the same switch. */
static bool is_of_ours(
	const struct survey_pass *pass, const struct record *record)
{
	return reader_event_of(pass->reader, record) == pass->switches_event;
}

/*
 * dwell's recorder has rings for sideband alone. Others have one for all, and
 * whoever comes next tells of what was lost.
 */
static bool is_loss_of_ours(
	const struct survey_pass *pass, const struct record *record)
{
	const char *version = reader_features(pass->reader)->version;

	return !version || !strstr(version, "(dwell ") ||
		pass->switches_event == OFFCPU_NO_EVENT ||
		is_of_ours(pass, record);
}

bool survey_see_switch(struct survey_pass *pass, const struct record *record)
{
	struct switches *switches = &pass->survey->switches;
	struct switch_record own;

	/* Without an event no layout says where a record's time is. */
	if (!reader_n_events(pass->reader))
		return true;
	switch (record->type) {
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		if (!is_of_ours(pass, record))
			return true;
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
	case RECORD_LOST: break;
	default: return true;
	}
	if (!read_record(pass, record, &own) || !affords(pass, own.tid))
		return false;
	if (record->type != RECORD_LOST)
		return switches_add(switches, kind_of(record), &own);
	return !is_loss_of_ours(pass, record) ||
		switches_lose(switches, own.cpu, own.time);
}

/* When sampling ended, as dwell's own recordings tell; else 0. */
static uint64_t find_end(struct survey_pass *pass)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	const char *key, *value;
	struct bytes b;

	if (!reader_section(pass->reader, SECTION_META, META_VERSION, &raw))
		return 0;
	b = bytes_of(raw.at, raw.n, false);
	do {
		key = bytes_string(&b);
		value = bytes_string(&b);
	} while (b.ok && !string_is(key, META_CLOCK_CLOSE));
	return b.ok ? strtoull(value, NULL, 10) : 0;
}

void survey_settle_switches(struct survey_pass *pass)
{
	struct survey *survey = pass->survey;

	if (pass->wants_switches)
		switches_settle(&survey->switches,
			MAX(survey->last_time, find_end(pass)));
}
