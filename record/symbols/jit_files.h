/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that make code at run time, and what they tell about it: the
 * perf-PID.map in the /tmp of their root, named by their PID as they see it,
 * and a jitdump, which they map so that it is found. Both are opened while
 * the process is there, and read when the recording ends (jitnames.h).
 *
 * Only files that belong to the process's own user are taken.
 */
#ifndef DWELL_RECORD_SYMBOLS_JIT_FILES_H
#define DWELL_RECORD_SYMBOLS_JIT_FILES_H

#include "common/perf/record.h"
#include "record/sys/timed_worker.h"

struct jits;

/* PATIENCE is borrowed. N_MAX processes are looked after at most. */
struct jits *jits_create(struct patience *patience, size_t n_max);
void jits_destroy(struct jits *jits);

/* MAP, of code, was seen just now. True if it is a jitdump. */
bool jits_see(struct jits *jits, const struct record_mmap *map);
/* PID has ended: the last chance to find its map. */
void jits_exit(struct jits *jits, uint32_t pid);
/* Their names are wanted now: looks for the maps of all that still live. */
void jits_refresh(struct jits *jits);

struct jit_files {
	int perfmap, dump; /* borrowed from the jits; -1: none */
};
struct jit_files jits_find(const struct jits *jits, uint32_t pid);

#endif
