/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a survey until it ends, for survey*.c. */
#ifndef DWELL_REPORT_SURVEY_SURVEY_PRIVATE_H
#define DWELL_REPORT_SURVEY_SURVEY_PRIVATE_H

#include <pthread.h>

#include "common/file/reader.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

struct survey;

/* The offsets of the fields in the raw data of sched:sched_switch. */
struct sched_switch_offsets {
	size_t prev_pid, prev_state, next_pid; /* 0: not known */
	uint8_t state_size;
	bool swap;
};

/* A copy of one sideband record for the replay, in file order. */
struct kept_record {
	uint64_t time;
	size_t order;
	size_t offset;     /* in the arena */
	uint64_t position; /* in the file */
};

struct survey_pass {
	pthread_mutex_t lock; /* of all, and of the reader */
	struct reader *reader;
	struct survey *survey;
	bool wants_times, wants_samples, wants_switches; /* survey_depth */
	/*
	 * The event whose SWITCH records count, or whose samples are switches,
	 */
	uint32_t switches_event, traced_event;
	struct sched_switch_offsets traced_offsets;
	/*
	 * and the event of wakeups, with the offset of the woken thread; 0:
	 * none.
	 */
	uint32_t waking_event;
	size_t sched_waking_offset;
	bool swaps_waking;
	struct strbuf arena;
	ARRAY(struct kept_record) kept;
};

/*
 * survey_switches.c: finds the events of switches, adds a sample, adds a
 * sideband record (false if it is damaged), and finishes.
 */
void survey_begin_switches(struct survey_pass *pass);
void survey_add_switch_sample(
	struct survey_pass *pass, const struct record *record);
bool survey_add_switch_record(
	struct survey_pass *pass, const struct record *record);
void survey_end_switches(struct survey_pass *pass);

/* survey_replay.c: adds the kept records to the survey's maps and names. */
void survey_replay(struct survey_pass *pass);

#endif
