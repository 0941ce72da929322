/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens events that count, without ring buffers, and reads them. A target of
 * CPUs has one descriptor per event and CPU; a target of threads has one per
 * event and thread, which counts on all CPUs and includes the tasks that the
 * thread creates. Each of these CPUs or threads is a place.
 */
#ifndef DWELL_RECORD_STAT_COUNTERS_H
#define DWELL_RECORD_STAT_COUNTERS_H

#include "record/event/open_fallback.h"
#include "record/open/event_fds.h"
#include "record/open/target.h"
#include "record/stat/reading.h"
#include "record/synth/cgroups.h"

struct counters {
	const struct opener *opener;
	struct selection *selection; /* borrowed */
	const struct target *target; /* borrowed */
	struct cgroups cgroups;
	struct open_fallback *limits; /* borrowed */
	struct task_list threads;     /* of the target; empty for CPUs */
	uint64_t *words; /* room for the reading of a group; owned */
	/*
	 * One per event and place, in this order: .place is the number of the
	 * CPU or the ID of the thread; .fd is -1 if nothing is counted there.
	 */
	ARRAY(struct event_fd) fds;
	/* Readings of .fds: the last ones, and those of counters_mark(). */
	struct reading *now, *marked; /* owned */
	/* In the order of the events of .selection. */
	ARRAY(struct counters_event {
		size_t first, n;   /* the part of .fds */
		bool is_supported; /* false: the machine cannot count it */
	})
	events;
};

/*
 * Opens the events of SELECTION, disabled, for TARGET. LIMITS is
 * zero-initialized before the first call with .counts set. An event of hardware
 * that this machine lacks is not an error, but is not supported.
 * counters_close() frees RET, also after an error.
 */
struct counters_plan {
	const struct opener *opener;
	struct selection *selection;
	const struct target *target;
	struct open_fallback *limits;
};
struct error *counters_open(
	const struct counters_plan *plan, struct counters *ret) _must_check_;
void counters_close(struct counters *counters);

/*
 * Enable or disable all events. Call these functions in the thread that opened
 * the events.
 */
void counters_enable(void);
void counters_disable(void);
/* Enables or disables EVENT. */
void counters_switch(
	const struct counters *counters, uint32_t event, bool is_on);
/* Enables the events per CPU of a command, which its exec does not enable. */
void counters_enable_wide(const struct counters *counters);

/*
 * Reads all counters. The events of a group are read together, at one moment.
 */
void counters_read(struct counters *counters);
/* Makes the last readings the start of the next interval. */
void counters_mark(struct counters *counters);

/*
 * Return what EVENT counted in the interval until the last readings: the sum of
 * all places, or at its place with index PLACE. The latter returns false if the
 * place does not have the event. The value of a snapshot (pmu.h) is that
 * of the last reading.
 */
struct reading counters_total(const struct counters *counters, size_t event);
bool counters_at_place(const struct counters *counters, size_t event,
	size_t place, struct reading *ret);

#endif
