/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that rules are made from: those that processes have mapped, and their
 * separate debug files. Whoever asks may wait for them, but not for ever.
 */
#ifndef DWELL_RECORD_UNWIND_SOURCES_H
#define DWELL_RECORD_UNWIND_SOURCES_H

#include "common/maps/maps.h"
#include "record/symbols/file_tracker.h"
#include "record/sys/timed_worker.h"

struct elf_file;

struct sources {
	struct keeper *keeper;     /* borrowed; NULL: nothing is held */
	struct patience *patience; /* owned by who fills this in */
};

/* DSO as PID has it at MAPPING, the caller's; NULL: it can't be had. */
struct elf_file *sources_open(const struct sources *sources,
	const struct dso *dso, const struct mapping *mapping, uint32_t pid);
/*
 * The debug file of FILE, which is DSO's, if most of its rules must be there: by
 * build ID or by debuglink, below PID's root and then below our own. The
 * caller's; NULL: there is none.
 */
struct elf_file *sources_open_debug(const struct sources *sources,
	struct elf_file *file, const struct dso *dso, uint32_t pid);

#endif
