/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times at which each thread left its CPU, was woken, and ran again, from
 * the records of a recording. Records are added in any order; switches_finish()
 * is called before lookups. Times that are not recorded are not estimated: if
 * records were lost, the time that a thread was off-CPU is not known.
 *
 * Threads 0 (idle) and -1 (in other PID namespaces) are ignored, because each
 * of these IDs stands for several threads.
 */
#ifndef DWELL_REPORT_SURVEY_SWITCHES_H
#define DWELL_REPORT_SURVEY_SWITCHES_H

#include "common/util/array.h"
#include "common/util/hash.h"

/*
 * Scheduling events of a thread; events with the same time are in this order.
 */
enum switch_kind {
	SWITCH_CREATED, /* the previous thread with this ID has ended */
	SWITCH_IN,
	SWITCH_WOKEN,
	SWITCH_OUT,	  /* the thread blocks */
	SWITCH_PREEMPTED, /* the thread is still runnable */
	SWITCH_EXITED,	  /* the last switch of the thread follows */
};

/* The latest valid time: a time and an enum switch_kind share 64 bits. */
#define SWITCHES_TIME_MAX (UINT64_MAX >> 3)

struct switches {
	ARRAY(struct switch_thread {
		uint32_t tid;
		bool is_gone;	    /* exited after its last switch */
		ARRAY(uint64_t) at; /* time << 3 | enum switch_kind */
		/* The processes that had a thread with this ID. */
		ARRAY(struct switch_process {
			uint64_t since;
			uint32_t pid;
		})
		processes;
	})
	threads;
	struct hash_index by_tid;
	ARRAY(struct switch_gap {
		uint64_t from, until; /* records of this time were lost */
	})
	gaps;
	ARRAY(uint64_t) latest; /* time of the latest record of each CPU */
	uint64_t end;		/* latest known time of the recording */
};

/* The CPU number in records without a CPU. */
#define SWITCHES_NO_CPU UINT32_MAX

struct switch_record {
	uint32_t pid, tid, cpu; /* .pid 0: not known */
	uint64_t time;
};

/*
 * Approximate memory of a switch, and of a thread at its first switch in a
 * process.
 */
#define SWITCHES_COST (2 * sizeof(uint64_t))
#define SWITCHES_THREAD_COST                                       \
	(2 * sizeof(struct switch_thread) + 8 * sizeof(uint64_t) + \
		8 * sizeof(struct switch_process) +                \
		4 * sizeof(struct hash_slot))
/*
 * Returns whether the next switch of thread TID of process PID (0: not known)
 * needs SWITCHES_THREAD_COST.
 */
bool switches_is_new(
	const struct switches *switches, uint32_t pid, uint32_t tid);

/*
 * Adds RECORD, a scheduling event of any KIND but SWITCH_WOKEN. Returns false
 * if the time or CPU of RECORD is invalid.
 */
bool switches_add(struct switches *switches, enum switch_kind kind,
	const struct switch_record *record);
bool switches_add_wakeup(
	struct switches *switches, uint32_t tid, uint64_t time);
/*
 * Adds a loss: records of CPU were lost between the latest record of CPU and
 * TIME. If CPU is SWITCHES_NO_CPU, the records may have been lost at any time
 * before TIME. Returns false if CPU or TIME is invalid.
 */
bool switches_add_loss(struct switches *switches, uint32_t cpu, uint64_t time);
/*
 * Prepares SWITCHES for lookups. END is the time at which the recording ended;
 * 0: the time of the last record.
 */
void switches_finish(struct switches *switches, uint64_t end);
void switches_deinit(struct switches *switches);

/* The time from a thread's switch out until the thread ran again. */
struct switch_absence {
	uint64_t out, woken, in; /* .woken is .in if no wakeup was recorded */
	bool is_preempted;
	bool is_open; /* the thread did not run again before the end */
};

enum switch_absence_end {
	SWITCH_ABSENCE_KNOWN,
	SWITCH_ABSENCE_NONE,	/* the thread has exited, or is ignored */
	SWITCH_ABSENCE_UNKNOWN, /* a record of the thread is missing */
	SWITCH_ABSENCE_LOST,	/* records between .out and .in were lost */
};

/*
 * Finds the absence of thread TID that begins with the first switch of TID at
 * TIME or later.
 */
enum switch_absence_end switches_find(const struct switches *switches,
	uint32_t tid, uint64_t time, struct switch_absence *ret);

/*
 * Calls TAKE_SWITCH for each switch that takes a thread off its CPU. OUT has no
 * CPU.
 */
void switches_each(const struct switches *switches,
	void (*take_switch)(void *data, const struct switch_record *out),
	void *data);

#endif
