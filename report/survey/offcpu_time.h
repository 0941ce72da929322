/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a recording measures the time of threads on a CPU and off-CPU: the events
 * whose samples stand for such times, and the states of threads. The time that
 * one sample stands for is in offcpu_parts.h.
 */
#ifndef DWELL_REPORT_SURVEY_OFFCPU_TIME_H
#define DWELL_REPORT_SURVEY_OFFCPU_TIME_H

#include "common/file/reader.h"
#include "report/survey/switches.h"
#include "report/util/times.h"

enum offcpu_counted {
	OFFCPU_TIME_RECORDED, /* no times: samples count as recorded */
	OFFCPU_TIME_OFF_CPU,
	OFFCPU_TIME_WALL, /* off-CPU time and time on a CPU */
};

/* Returns the name of TIME as a unit in exported files: "off-cpu". */
const char *offcpu_counted_word(enum offcpu_counted time);

enum offcpu_state {
	OFFCPU_STATE_ON,
	OFFCPU_STATE_BLOCKED,
	OFFCPU_STATE_RUNNABLE,	/* the thread was woken and does not run yet */
	OFFCPU_STATE_PREEMPTED, /* replaced by another thread while runnable */
	OFFCPU_STATES,
};
const char *offcpu_state_name(enum offcpu_state state);
/*
 * Writes the name of the synthetic frame that stands for STATE in stacks,
 * such as "[blocked]", to ROOM, and returns ROOM.
 */
#define OFFCPU_STATE_SIZE 16u
const char *offcpu_state_mark(
	enum offcpu_state state, char room[OFFCPU_STATE_SIZE]);

#define OFFCPU_NO_EVENT UINT32_MAX

struct offcpu {
	const struct switches *switches; /* borrowed */
	uint32_t event;	   /* all times are counted for this event */
	uint32_t stacks;   /* event with a sample per switch, or NO_EVENT */
	bool has_waits;	   /* samples of .stacks are waits (wait_sample.h) */
	bool swaps_waits;  /* their raw data have the other byte order */
	uint32_t clock;	   /* event that samples CPU time, or NO_EVENT */
	uint64_t tick_ns;  /* time per sample of .clock; 0: use its period */
	uint64_t least_ns; /* shorter off-CPU times are not counted */
	bool has_wakings;
	const struct time_ranges *times; /* selected times; borrowed */
	uint64_t begin;			 /* of the recording; 0: not known */
};

/* The offcpu_*_event() functions return the number of an event of READER. */
/* Returns the event whose SWITCH records are used, or OFFCPU_NO_EVENT. */
uint32_t offcpu_record_event(const struct reader *reader);
/*
 * Returns the event sched:sched_switch; OFFCPU_NO_EVENT if there is none, or if
 * another event has SWITCH records.
 */
uint32_t offcpu_traced_event(const struct reader *reader);
/* Returns the event sched:sched_waking, or OFFCPU_NO_EVENT. */
uint32_t offcpu_waking_event(const struct reader *reader);
/*
 * Returns the event whose samples are context switches, with stacks, or
 * OFFCPU_NO_EVENT.
 */
uint32_t offcpu_stack_event(const struct reader *reader);

/*
 * Returns whether the recording was made with --off-cpu, with or without
 * stacks of context switches.
 */
bool offcpu_is_recorded(const struct reader *reader);
/*
 * Returns whether all events of the recording are used to count
 * OFFCPU_TIME_WALL.
 */
bool offcpu_covers_all_events(const struct reader *reader);

struct offcpu_config {
	const struct reader *reader;
	const struct switches *switches; /* after switches_finish(); borrowed */
	const struct time_ranges *times; /* selected times; borrowed */
	enum offcpu_counted time;
	uint64_t least_ns;
};
/*
 * Prepares OFFCPU for counting time as CONFIG requests. Returns an error if the
 * recording lacks the events for CONFIG->time.
 */
struct error *offcpu_init(
	struct offcpu *offcpu, const struct offcpu_config *config) _must_check_;

/*
 * Sums over all samples: nanoseconds by thread state, and numbers of context
 * switches.
 */
struct offcpu_counts {
	uint64_t ns[OFFCPU_STATES];
	uint64_t switches; /* switches whose off-CPU time is counted */
	uint64_t brief;	   /* switches not counted: shorter than least_ns */
	uint64_t open;	   /* switches counted to the end of the recording */
	uint64_t lost;	   /* switches not counted: records were lost */
	uint64_t unknown;  /* switches not counted: a record is missing */
};
void offcpu_counts_add(
	struct offcpu_counts *into, const struct offcpu_counts *from);
/* Appends "0.300000 s blocked, ..., 0.000000 s preempted; 30 switches". */
void offcpu_counts_print(
	const struct offcpu_counts *counts, struct strbuf *out);

/*
 * Reports if READER's recording has no stacks of context switches or no
 * wakeups.
 */
void offcpu_report_missing(
	const struct offcpu *offcpu, const struct reader *reader);

#endif
