/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time that a sample stands for, on a CPU or off it. The sample of a
 * context switch stands for the time until its thread ran again: first blocked,
 * then waiting for a CPU. Other samples stand for time on a CPU. The switches
 * were read before (switches.h), so samples may come in any order.
 */
#ifndef DWELL_REPORT_SURVEY_OFFCPU_TIME_H
#define DWELL_REPORT_SURVEY_OFFCPU_TIME_H

#include "common/file/reader.h"
#include "report/survey/switches.h"

enum counted_time {
	TIME_RECORDED, /* samples count as recorded */
	TIME_OFF_CPU,
	TIME_WALL, /* off-CPU time and time on a CPU */
};

/* Returns the heading of the time in reports: "off-CPU time (ns)". */
const char *counted_time_name(enum counted_time time);
/* Returns the time's name for the unit field of a format: "off-cpu". */
const char *counted_time_word(enum counted_time time);

enum thread_state {
	STATE_ON,
	STATE_BLOCKED,
	STATE_RUNNABLE,  /* woken, and not yet running */
	STATE_PREEMPTED, /* replaced by another thread while runnable */
	THREAD_STATES,
};
const char *thread_state_name(enum thread_state state);
/* Writes the state as the last frame of a stack, "[blocked]", to ROOM. */
#define THREAD_STATE_SIZE 16u
const char *thread_state_mark(
	enum thread_state state, char room[THREAD_STATE_SIZE]);

#define OFFCPU_NO_EVENT UINT32_MAX

struct offcpu {
	const struct switches *switches; /* borrowed */
	uint32_t event;    /* the event that all parts count for */
	uint32_t stacks;   /* the event whose samples are switches, or none */
	uint32_t clock;    /* the event whose samples are CPU time, or none */
	uint64_t tick_ns;  /* time of each sample of .clock; 0: its period */
	uint64_t least_ns; /* shorter times are not counted */
	bool has_wakings;
};

/* Each returns the number of an event of READER, or OFFCPU_NO_EVENT. */
/* The event whose SWITCH records are used. */
uint32_t offcpu_record_event(const struct reader *reader);
/* If there is none: the event sched:sched_switch. */
uint32_t offcpu_traced_event(const struct reader *reader);
/* The event sched:sched_waking. */
uint32_t offcpu_waking_event(const struct reader *reader);
/* The event with one sample, with a call stack, per switch. */
uint32_t offcpu_stack_event(const struct reader *reader);

/* Returns whether --off-cpu was recorded, with or without call stacks. */
bool offcpu_is_recorded(const struct reader *reader);
/* Returns whether TIME_WALL covers all events of the recording. */
bool offcpu_covers_all_events(const struct reader *reader);

/*
 * Prepares counting of TIME for READER. SWITCHES are finished, and borrowed.
 * Returns an error if the recording lacks the events for TIME.
 */
struct error *offcpu_init(struct offcpu *offcpu, const struct reader *reader,
	const struct switches *switches, enum counted_time time,
	uint64_t least_ns) _must_check_;

/* Sums over all samples. */
struct offcpu_counts {
	uint64_t ns[THREAD_STATES];
	uint64_t switches; /* counted */
	uint64_t brief;    /* left out: shorter than least_ns */
	uint64_t open;     /* counted to the end of the recording */
	uint64_t lost;     /* left out: records of that time were lost */
	uint64_t unknown;  /* left out: a record of the switch is missing */
};
void offcpu_counts_add(
	struct offcpu_counts *into, const struct offcpu_counts *from);

/* Reports which data READER's recording lacks. */
void offcpu_report_missing(
	const struct offcpu *offcpu, const struct reader *reader);

struct offcpu_part {
	enum thread_state state;
	uint64_t ns;
	uint64_t from; /* start time; 0 for STATE_ON */
};
#define OFFCPU_PARTS 2u

/*
 * Writes the parts of the switch of SAMPLE's thread at SAMPLE's time to RET,
 * and adds them to COUNTS. Returns their number; 0: the switch does not count.
 */
size_t offcpu_put_switch(const struct offcpu *offcpu,
	const struct sample *sample, struct offcpu_counts *counts,
	struct offcpu_part ret[OFFCPU_PARTS]);
/* Does the same for any SAMPLE, of event EVENT. */
size_t offcpu_parts(const struct offcpu *offcpu, uint32_t event,
	const struct sample *sample, struct offcpu_counts *counts,
	struct offcpu_part ret[OFFCPU_PARTS]);

#endif
