/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who belongs to the target, where events are of whole CPUs and see everybody:
 * its tasks, and who is made by them, as FORK records tell. It stands for what
 * the kernel does by inheritance with events of threads. The thread that drains
 * asks it for each sample. It knows nothing of a process whose FORK was lost.
 */
#ifndef DWELL_RECORD_STREAM_INHERITED_TASKS_H
#define DWELL_RECORD_STREAM_INHERITED_TASKS_H

#include "common/perf/record.h"
#include "record/open/target.h"

struct kin;

/* A sample's thread, and its time by the recording's clock. */
struct kin_task {
	uint32_t pid, tid;
	uint64_t time;
};

/*
 * Of TARGET (borrowed for the call, not TARGET_SYSTEM), whose sideband is on
 * already. A command belongs to itself from its exec on.
 */
struct kin *kin_create(const struct target *target);
void kin_destroy(struct kin *kin);

/* A record of sideband came by, in any order, which is of TIME. */
void kin_see(struct kin *kin, const struct record *record, uint64_t time);
/* All records of sideband up to UNTIL have come by; to be called each round. */
void kin_settle(struct kin *kin, uint64_t until);
/*
 * Whether TASK belongs to the target: with FOLLOWS also if it was made since,
 * else only if it was there when the recording began.
 */
bool kin_has(struct kin *kin, const struct kin_task *task, bool follows);
/* How many times that was false. Callable from any thread. */
uint64_t kin_count(const struct kin *kin);

#endif
