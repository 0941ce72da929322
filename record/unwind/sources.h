/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the files that unwind rules are read from: those that processes have
 * mapped, and their separate debug files. Each call waits at most for the
 * timeout of WORKER.
 */
#ifndef DWELL_RECORD_UNWIND_SOURCES_H
#define DWELL_RECORD_UNWIND_SOURCES_H

#include "common/maps/maps.h"
#include "record/symbols/file_tracker.h"
#include "record/sys/timed_worker.h"

struct elf_file;

struct sources {
	struct file_tracker *tracker; /* borrowed; NULL: no files are held */
	struct timed_worker *worker;  /* owned by the caller */
};

/*
 * Opens DSO, which PID has mapped at MAPPING. The caller owns the result. NULL:
 * not found.
 */
struct elf_file *sources_open(const struct sources *sources,
	const struct dso *dso, const struct mapping *mapping, uint32_t pid);
/*
 * Opens the debug file of FILE, the file of DSO, if most of its rules must be
 * there: by build ID or by debug link, below the root directory of PID and then
 * below our own. The caller owns the result. NULL: none.
 */
struct elf_file *sources_open_debug(const struct sources *sources,
	struct elf_file *file, const struct dso *dso, uint32_t pid);

#endif
