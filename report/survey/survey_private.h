/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a survey until it ends, for survey*.c. */
#ifndef DWELL_REPORT_SURVEY_SURVEY_PRIVATE_H
#define DWELL_REPORT_SURVEY_SURVEY_PRIVATE_H

#include "common/file/reader.h"
#include "common/util/array.h"
#include "common/util/budget.h"
#include "common/util/strbuf.h"

struct survey;

/* The offsets of the fields in the raw data of sched:sched_switch. */
struct survey_switch_offsets {
	size_t prev_pid, prev_state, next_pid; /* 0: not known */
	uint8_t state_size;
	bool swap;
};

/* A sideband record that is copied for survey_replay(), in file order. */
struct survey_kept_record {
	uint64_t time;
	size_t order;
	size_t offset;	   /* of the copy, in pass->arena */
	uint64_t position; /* of the record, in the file */
};

struct survey_pass {
	struct reader *reader;
	struct survey *survey;
	bool wants_times, wants_samples, wants_switches; /* by survey_depth */
	/*
	 * Numbers of the event whose SWITCH records are used, and of the event
	 * whose samples are context switches; or OFFCPU_NO_EVENT.
	 */
	uint32_t switches_event, traced_event;
	struct survey_switch_offsets traced_offsets;
	/*
	 * Number of the event sched:sched_waking, or OFFCPU_NO_EVENT, and the
	 * offset of the woken thread's ID in its raw data; 0: not known.
	 */
	uint32_t waking_event;
	size_t sched_waking_offset;
	bool swaps_waking;
	bool is_over_limit; /* survey_reserve() failed for this record */
	struct strbuf arena;
	ARRAY(struct survey_kept_record) kept;
};

/*
 * Reserves SIZE bytes for the data of a record. Returns false if the recording
 * may use no more memory; the record then counts as left out by the limit, not
 * as damaged.
 */
static inline bool survey_reserve(struct survey_pass *pass, uint64_t size)
{
	pass->is_over_limit =
		!budget_reserve(reader_budget(pass->reader), size);
	return !pass->is_over_limit;
}

/*
 * In survey_switches.c. The functions find the events that record context
 * switches, add the switch or wakeup of a sample, add the switch of a sideband
 * record (false: RECORD is left out), and sort all switches at the end.
 */
void survey_begin_switches(struct survey_pass *pass);
void survey_add_switch_sample(
	struct survey_pass *pass, const struct record *record);
bool survey_add_switch_record(
	struct survey_pass *pass, const struct record *record);
void survey_end_switches(struct survey_pass *pass);

/*
 * In survey_replay.c: adds the kept sideband records to the survey's maps, in
 * the order of time.
 */
void survey_replay(struct survey_pass *pass);

#endif
