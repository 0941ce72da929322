/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When threads left their CPUs, were woken, and ran again, by thread, as
 * records of a recording tell. They are added in any order, and settled before
 * anything is asked. What the recording doesn't tell is not made up: where
 * records were lost nobody knows how long a thread was away.
 *
 * Tasks 0 (a CPU that has nothing to do) and -1 (those of other pid namespaces)
 * are no threads here: each is several.
 */
#ifndef DWELL_REPORT_SURVEY_SWITCHES_H
#define DWELL_REPORT_SURVEY_SWITCHES_H

#include "common/util/array.h"
#include "common/util/hash.h"

/* In the order in which those of one time happened. */
enum switch_kind {
	SWITCH_BORN, /* whoever had the id before is gone */
	SWITCH_IN,
	SWITCH_WOKEN,
	SWITCH_OUT,       /* it waits for something */
	SWITCH_PREEMPTED, /* it leaves, though it could go on */
	SWITCH_GONE,      /* what it does from now on is its end */
};

/* Times from here on are none: the kind stands in the same number. */
#define SWITCHES_TIME_MAX (UINT64_MAX >> 3)

struct switches {
	ARRAY(struct switch_thread {
		uint32_t pid, tid;
		bool is_gone;        /* after the last one */
		ARRAY(uint64_t) at;  /* time << 3 | kind */
	}) threads;
	struct hash_index by_tid;
	ARRAY(struct switch_gap {
		uint64_t from, until; /* records of this time were lost */
	}) gaps;
	ARRAY(uint64_t) latest; /* by CPU */
	uint64_t end; /* of the recording, as far as is known */
};

/* As samples have it that don't tell their CPU. */
#define SWITCHES_NO_CPU UINT32_MAX

struct switch_record {
	uint32_t pid, tid, cpu;
	uint64_t time;
};

/* What adding one takes, about: of its own, and if its thread is new. */
#define SWITCHES_COST (2 * sizeof(uint64_t))
#define SWITCHES_THREAD_COST                                                  \
	(2 * sizeof(struct switch_thread) + 8 * sizeof(uint64_t) +            \
		4 * sizeof(struct hash_slot))
/* Whether nothing is known of TID yet. */
bool switches_is_new(const struct switches *switches, uint32_t tid);

/* Any but SWITCH_WOKEN. False: that can't be a time or a CPU. */
bool switches_add(struct switches *switches, enum switch_kind kind,
	const struct switch_record *record);
bool switches_wake(struct switches *switches, uint32_t tid, uint64_t time);
/*
 * Records of this CPU were lost between the latest one of it and TIME; of one
 * that isn't known, any time before.
 */
bool switches_lose(struct switches *switches, uint32_t cpu, uint64_t time);
/* END: when the recording ended, or 0: with the last of these. */
void switches_settle(struct switches *switches, uint64_t end);
void switches_deinit(struct switches *switches);

/* From when a thread left its CPU until it ran again. */
struct absence {
	uint64_t out, woken, in; /* woken is in where nothing tells of it */
	bool is_preempted;
	bool is_open; /* it had not come back at the recording's end */
};

enum absence_end {
	ABSENCE_KNOWN,
	ABSENCE_NONE,    /* the thread has ended, or is none */
	ABSENCE_UNKNOWN, /* what belongs together isn't there */
	ABSENCE_LOST,    /* records of that time were lost */
};

/* The absence that begins with the first switch of TID at TIME or later. */
enum absence_end switches_find(const struct switches *switches, uint32_t tid,
	uint64_t time, struct absence *ret);

/* Calls SEE for each time that a thread left its CPU. */
void switches_each(const struct switches *switches,
	void (*see)(void *data, const struct switch_record *out), void *data);

#endif
