/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a survey remembers until it has ended, for survey*.c alone. */
#ifndef DWELL_REPORT_SURVEY_SURVEY_PRIVATE_H
#define DWELL_REPORT_SURVEY_SURVEY_PRIVATE_H

#include <pthread.h>

#include "common/file/reader.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"
#include "report/survey/sched_switch.h"

struct survey;

/* A copy of one sideband record that the replay wants, in file order. */
struct kept {
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
	/* Whose SWITCH records count, or which samples tell of switches, */
	uint32_t switches_event, traced_event;
	struct sched_switch_places traced_places;
	/* and which samples tell of wakings, and where; 0: nowhere. */
	uint32_t waking_event;
	size_t waking_place;
	bool swaps_waking;
	struct strbuf arena;
	ARRAY(struct kept) kept;
};

/*
 * survey_switches.c: what is looked for, once events are known; one sample, and
 * one record of sideband (false if it is damaged); and the end.
 */
void survey_find_switches(struct survey_pass *pass);
void survey_see_sample(struct survey_pass *pass, const struct record *record);
bool survey_see_switch(struct survey_pass *pass, const struct record *record);
void survey_settle_switches(struct survey_pass *pass);

/* survey_replay.c: from what was kept to SURVEY's maps and names. */
void survey_replay(struct survey_pass *pass);

#endif
