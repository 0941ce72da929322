/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads samples of the tracepoint sched:sched_switch: which thread leaves a CPU
 * and which one runs next. perf's recordings often have these and no SWITCH
 * records.
 */
#ifndef DWELL_REPORT_SURVEY_SCHED_SWITCH_H
#define DWELL_REPORT_SURVEY_SCHED_SWITCH_H

#include "common/file/features.h"
#include "common/perf/sample.h"

#define SCHED_SWITCH_NAME "sched_switch"
#define SCHED_SWITCH_EVENT "sched:" SCHED_SWITCH_NAME

/* The offsets of the fields in the raw data. */
struct sched_switch_offsets {
	size_t prev_pid, prev_state, next_pid; /* 0: not known */
	uint8_t state_size;
	bool swap;
};

/*
 * Finds the offsets in the format in FEATURES. Returns false if there is none.
 */
bool sched_switch_find(
	const struct features *features, struct sched_switch_offsets *ret);

struct sched_switch {
	uint32_t prev, next; /* thread IDs */
	bool is_preempted;   /* PREV is still runnable */
};
/* Returns false if the raw data of SAMPLE are too short. */
bool sched_switch_read(const struct sched_switch_offsets *offsets,
	const struct sample *sample, struct sched_switch *ret);

#endif
