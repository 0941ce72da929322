/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JIT files of processes: the perf-PID.map in /tmp below the root directory of
 * the process, with the PID in its own namespace, and the jitdump, which the
 * process maps. Both are opened while the process exists, and read when the
 * recording ends (jitnames.h).
 *
 * Only files that belong to the user of the process are used.
 */
#ifndef DWELL_RECORD_SYMBOLS_JIT_FILES_H
#define DWELL_RECORD_SYMBOLS_JIT_FILES_H

#include "common/perf/record.h"
#include "record/sys/timed_worker.h"

struct jits;

/* WORKER is borrowed. At most N_MAX processes are tracked. */
struct jits *jits_create(struct timed_worker *worker, size_t n_max);
void jits_destroy(struct jits *jits);

/*
 * Adds an executable mapping that was just created. Returns true if it is a
 * jitdump.
 */
bool jits_add_mapping(struct jits *jits, const struct record_mmap *map);
/* PID has ended: opens its perf map, which may disappear. */
void jits_add_exit(struct jits *jits, uint32_t pid);
/* Opens the perf maps of all processes that are still running. */
void jits_refresh(struct jits *jits);

struct jit_files {
	int perfmap, dump; /* borrowed; -1: none */
};
struct jit_files jits_find(const struct jits *jits, uint32_t pid);

#endif
