/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks which tasks belong to the target when events are opened per CPU
 * instead of per thread. The set starts with the tasks of the target and grows
 * by FORK records, as inheritance of events does in the kernel. The drain
 * thread queries it once per sample. A process whose FORK record was lost is
 * missing.
 */
#ifndef DWELL_RECORD_STREAM_INHERITED_TASKS_H
#define DWELL_RECORD_STREAM_INHERITED_TASKS_H

#include "common/perf/record.h"
#include "record/open/target.h"

struct inherited_tasks;

/* The thread of a sample, and its time by the clock of the records. */
struct inherited_task {
	uint32_t pid, tid;
	uint64_t time;
};

/*
 * Creates the set of the tasks of TARGET, whose sideband events are enabled.
 * TARGET is not TARGET_SYSTEM and is borrowed only for the call. A command is
 * in the set from the time of its exec on.
 */
struct inherited_tasks *inherited_tasks_create(const struct target *target);
void inherited_tasks_destroy(struct inherited_tasks *tasks);

/* Adds a sideband record with TIME. Records may arrive in any order. */
void inherited_tasks_add_record(struct inherited_tasks *tasks,
	const struct record *record, uint64_t time);
/*
 * Applies the FORK records up to time UNTIL. All sideband records up to UNTIL
 * must have been added. Call this function in each round of the drain.
 */
void inherited_tasks_advance(struct inherited_tasks *tasks, uint64_t until);
/*
 * Returns true if TASK belongs to the target. If FOLLOWS is true, tasks created
 * after the start of the recording are included. If false is returned, a
 * rejected sample is counted.
 */
bool inherited_tasks_has(struct inherited_tasks *tasks,
	const struct inherited_task *task, bool follows);
/* Returns the number of rejected samples. Thread-safe. */
uint64_t inherited_tasks_n_rejected(const struct inherited_tasks *tasks);

#endif
