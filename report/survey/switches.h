/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When threads left their CPUs, were woken, and ran again, by thread, from the
 * records of a recording. Records are added in any order and finished before
 * lookups. Times that are not recorded are not estimated: if records were lost,
 * the time that a thread was away is not known.
 *
 * Threads 0 (idle) and -1 (in other PID namespaces) are ignored, because each
 * stands for several threads.
 */
#ifndef DWELL_REPORT_SURVEY_SWITCHES_H
#define DWELL_REPORT_SURVEY_SWITCHES_H

#include "common/util/array.h"
#include "common/util/hash.h"

/* In the order of events with the same time. */
enum switch_kind {
	SWITCH_CREATED, /* the previous thread with this ID has ended */
	SWITCH_IN,
	SWITCH_WOKEN,
	SWITCH_OUT,       /* the thread blocks */
	SWITCH_PREEMPTED, /* the thread is still runnable */
	SWITCH_EXITED,    /* the last switch of the thread follows */
};

/* Later times are invalid: a time and a kind share 64 bits. */
#define SWITCHES_TIME_MAX (UINT64_MAX >> 3)

struct switches {
	ARRAY(struct switch_thread {
		uint32_t pid, tid;
		bool is_gone;       /* exited after the last switch */
		ARRAY(uint64_t) at; /* time << 3 | kind */
	})
	threads;
	struct hash_index by_tid;
	ARRAY(struct switch_gap {
		uint64_t from, until; /* records of this time were lost */
	})
	gaps;
	ARRAY(uint64_t) latest; /* by CPU */
	uint64_t end;           /* latest time of the recording that is known */
};

/* In samples without a CPU. */
#define SWITCHES_NO_CPU UINT32_MAX

struct switch_record {
	uint32_t pid, tid, cpu;
	uint64_t time;
};

/* Approximate memory of a switch, and of its thread if it is new. */
#define SWITCHES_COST (2 * sizeof(uint64_t))
#define SWITCHES_THREAD_COST                                       \
	(2 * sizeof(struct switch_thread) + 8 * sizeof(uint64_t) + \
		4 * sizeof(struct hash_slot))
/* Whether no switch of TID was added yet. */
bool switches_is_new(const struct switches *switches, uint32_t tid);

/*
 * Adds any kind but SWITCH_WOKEN. Returns false if the time or CPU is invalid.
 */
bool switches_add(struct switches *switches, enum switch_kind kind,
	const struct switch_record *record);
bool switches_add_wakeup(
	struct switches *switches, uint32_t tid, uint64_t time);
/*
 * Adds a loss: records of CPU were lost between its latest record and TIME. If
 * the CPU is not known, they may have been lost at any time before.
 */
bool switches_add_loss(struct switches *switches, uint32_t cpu, uint64_t time);
/* END is the end of the recording; 0: the time of the last record. */
void switches_finish(struct switches *switches, uint64_t end);
void switches_deinit(struct switches *switches);

/* The time from a thread's switch out until it ran again. */
struct absence {
	uint64_t out, woken, in; /* .woken is .in if it was not recorded */
	bool is_preempted;
	bool is_open; /* it did not run again before the recording ended */
};

enum absence_end {
	ABSENCE_KNOWN,
	ABSENCE_NONE,    /* the thread has exited, or is ignored */
	ABSENCE_UNKNOWN, /* a record is missing */
	ABSENCE_LOST,    /* records of that time were lost */
};

/* Finds the absence that begins with TID's first switch at TIME or later. */
enum absence_end switches_find(const struct switches *switches, uint32_t tid,
	uint64_t time, struct absence *ret);

/* Calls SEE for each switch out. */
void switches_each(const struct switches *switches,
	void (*see)(void *data, const struct switch_record *out), void *data);

#endif
