/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample stands for where time is counted, on a CPU and off it. That of
 * a switch stands for the time until its thread ran again: it was blocked, and
 * then it waited for a CPU. Others stand for time on a CPU. What the switches
 * were has been read before (switches.h), so samples need no order.
 */
#ifndef DWELL_REPORT_SURVEY_OFFCPU_TIME_H
#define DWELL_REPORT_SURVEY_OFFCPU_TIME_H

#include "common/file/reader.h"
#include "report/survey/switches.h"

enum counted_time {
	TIME_RECORDED, /* samples count as they were recorded */
	TIME_OFF_CPU,
	TIME_WALL, /* on a CPU, too */
};

/* As a report calls it. */
const char *counted_time_name(enum counted_time time);
/* The same as one word, for formats that have a place for the unit: "off-cpu". */
const char *counted_time_word(enum counted_time time);

enum thread_state {
	STATE_ON,
	STATE_BLOCKED,
	STATE_RUNNABLE,  /* woken, and not yet running */
	STATE_PREEMPTED, /* another one ran in its place */
	THREAD_STATES,
};
const char *thread_state_name(enum thread_state state);
/* The same as the end of a stack: "[blocked]". Gives ROOM. */
#define THREAD_STATE_SIZE 16u
const char *thread_state_mark(
	enum thread_state state, char room[THREAD_STATE_SIZE]);

#define OFFCPU_NO_EVENT UINT32_MAX

struct offcpu {
	const struct switches *switches; /* borrowed */
	uint32_t event;    /* what all parts count as */
	uint32_t stacks;   /* whose samples are switches, or none */
	uint32_t clock;    /* whose samples are time on a CPU, or none */
	uint64_t tick_ns;  /* that each of these stands for; 0: its period */
	uint64_t least_ns; /* what was shorter isn't counted */
	bool has_wakings;
};

/* The event whose SWITCH records count; none: it has no such. */
uint32_t offcpu_records(const struct reader *reader);
/* Without these, the one whose samples tell both sides of each switch. */
uint32_t offcpu_traced(const struct reader *reader);
/* The one that tells who is woken. */
uint32_t offcpu_wakings(const struct reader *reader);
/* The one with a sample per switch. */
uint32_t offcpu_stacks(const struct reader *reader);

/* Whether it was recorded with --off-cpu, with the right to stacks or without. */
bool offcpu_is_recorded(const struct reader *reader);
/* Whether TIME_WALL is of all that was sampled then. */
bool offcpu_is_all(const struct reader *reader);

/*
 * For TIME of READER's recording, whose SWITCHES are settled and borrowed. That
 * it doesn't tell enough for that is an error.
 */
struct error *offcpu_init(struct offcpu *offcpu, const struct reader *reader,
	const struct switches *switches, enum counted_time time,
	uint64_t least_ns) _must_check_;

/* What became of all samples. */
struct offcpu_counts {
	uint64_t ns[THREAD_STATES];
	uint64_t switches; /* that were counted */
	uint64_t brief;    /* left out, being shorter than was asked for */
	uint64_t open;     /* counted to the end of the recording */
	uint64_t lost;     /* left out, as records of that time were lost */
	uint64_t unknown;  /* left out, as a record of theirs isn't there */
};
void offcpu_counts_add(
	struct offcpu_counts *into, const struct offcpu_counts *from);

/* "0.300000 s blocked, ..., 0.000000 s preempted; 30 switches". */
void offcpu_counts_print(
	const struct offcpu_counts *counts, struct strbuf *out);
/* The same as an object of JSON. */
void offcpu_counts_print_json(
	const struct offcpu_counts *counts, struct strbuf *out);
/* Says what READER's recording doesn't tell. */
void offcpu_tell(const struct offcpu *offcpu, const struct reader *reader);

struct offcpu_part {
	enum thread_state state;
	uint64_t ns;
	uint64_t from; /* when it began; 0 of STATE_ON */
};
#define OFFCPU_PARTS 2u

/*
 * The parts that a switch stands for, of which SAMPLE tells the thread and the
 * time, in RET, and their number; 0: it doesn't count. COUNTS are kept.
 */
size_t offcpu_put_switch(const struct offcpu *offcpu,
	const struct sample *sample, struct offcpu_counts *counts,
	struct offcpu_part ret[OFFCPU_PARTS]);
/* The same of SAMPLE, of EVENT, as it was recorded. */
size_t offcpu_parts(const struct offcpu *offcpu, uint32_t event,
	const struct sample *sample, struct offcpu_counts *counts,
	struct offcpu_part ret[OFFCPU_PARTS]);

#endif
