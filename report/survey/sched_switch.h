/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of the tracepoint sched:sched_switch: who leaves a CPU, and who runs
 * there next. perf's recordings often have these and no SWITCH records.
 */
#ifndef DWELL_REPORT_SURVEY_SCHED_SWITCH_H
#define DWELL_REPORT_SURVEY_SCHED_SWITCH_H

#include "common/file/features.h"
#include "common/perf/sample.h"

#define SCHED_SWITCH_NAME "sched_switch"
#define SCHED_SWITCH_EVENT "sched:" SCHED_SWITCH_NAME

/* Where its data have what. */
struct sched_switch_places {
	size_t prev_pid, prev_state, next_pid; /* 0: nowhere */
	uint8_t state_size;
	bool swap;
};

/* As the recording of FEATURES says; false: it doesn't. */
bool sched_switch_find(
	const struct features *features, struct sched_switch_places *ret);

struct sched_switch {
	uint32_t prev, next; /* threads */
	bool is_preempted;   /* PREV could go on */
};
/* False: the data of SAMPLE end before. */
bool sched_switch_read(const struct sched_switch_places *places,
	const struct sample *sample, struct sched_switch *ret);

#endif
