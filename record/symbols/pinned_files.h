/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped files, held open from when their mapping is first seen: so a file
 * that is deleted, replaced or out of reach later still has its symbols when
 * the recording ends. Each file is held once, however many map it, and only so
 * many are; the ones that lie open at their path are let go of first. Of the
 * vdso of 32-bit processes, which has no file, a copy is held: it is the same in
 * all of them.
 *
 * A deleted file that is held takes its room on the disk until pins_destroy().
 */
#ifndef DWELL_RECORD_SYMBOLS_PINNED_FILES_H
#define DWELL_RECORD_SYMBOLS_PINNED_FILES_H

#include "common/maps/maps.h"
#include "record/sys/timed_worker.h"

struct pins;

/* PATIENCE is borrowed. N_MAX descriptors are held at most. */
struct pins *pins_create(struct patience *patience, size_t n_max);
void pins_destroy(struct pins *pins);

/* MAP was seen just now: its file is opened, unless it was before. */
void pins_see(struct pins *pins, const struct record_mmap *map);

struct pinned {
	int fd; /* borrowed from the pins; -1: not held */
	uint64_t modified_ns; /* CLOCK_REALTIME: the file's when it was seen */
};
/* The file of DSO. */
struct pinned pins_find(const struct pins *pins, const struct dso *dso);
/* How many are held. */
size_t pins_held(const struct pins *pins);

#endif
