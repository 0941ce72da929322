/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must be taken from processes while they live: a thread that is told of
 * mappings and exits as they come out of the rings, and holds open the mapped
 * files (pinned_files.h) and what tells about code made at run time (jit_files.h). Whoever
 * tells it never waits; when it falls behind, records pass it by, and what
 * they map is looked for at the end, as without it.
 */
#ifndef DWELL_RECORD_SYMBOLS_FILE_TRACKER_H
#define DWELL_RECORD_SYMBOLS_FILE_TRACKER_H

#include "common/util/error.h"
#include "record/symbols/jit_files.h"
#include "record/symbols/pinned_files.h"

struct keeper;

struct keeper *keeper_create(void);
/* Also stops it. */
void keeper_destroy(struct keeper *keeper);

/* One whole record of the kernel, from one thread at a time. */
void keeper_put(struct keeper *keeper, const void *record);

/* Begins with what was put before. N_MAX descriptors are held at most. */
struct error *keeper_start(struct keeper *keeper, size_t n_max) _must_check_;
/* Returns when everything that was put is done. */
void keeper_stop(struct keeper *keeper);

/*
 * A descriptor of DSO's file, the caller's; -1: it isn't held (yet). While a
 * file is taken, that waits for it.
 */
int keeper_lend(struct keeper *keeper, const struct dso *dso);
/* That of the jitdump of PID, likewise. */
int keeper_lend_dump(struct keeper *keeper, uint32_t pid);

/*
 * A file is to be closed: what processes tell by now is there to be read, and
 * nothing is added or let go of until the release.
 */
void keeper_hold(struct keeper *keeper);
void keeper_release(struct keeper *keeper);

/* Borrowed; only while it is held, or after keeper_stop(). */
const struct pins *keeper_pins(const struct keeper *keeper);
const struct jits *keeper_jits(const struct keeper *keeper);

#endif
