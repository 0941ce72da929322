/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the files that unwind rules are read from: files that processes have
 * mapped, and the separate debug files of mapped files. Each call waits at most
 * for the timeout of WORKER.
 */
#ifndef DWELL_RECORD_UNWIND_SOURCES_H
#define DWELL_RECORD_UNWIND_SOURCES_H

#include "common/maps/maps.h"
#include "record/symbols/file_tracker.h"
#include "record/sys/timed_worker.h"

struct elf_file;

struct sources {
	struct file_tracker *tracker; /* borrowed; NULL: no held files */
	struct timed_worker *worker;  /* owned by the caller */
};

/*
 * Opens DSO, which PID has mapped at MAPPING. The caller owns the result.
 * Returns NULL if no file is found.
 */
struct elf_file *sources_open(const struct sources *sources,
	const struct dso *dso, const struct mapping *mapping, uint32_t pid);
/*
 * Opens the debug file of FILE, the file of DSO, if FILE itself has too few
 * unwind rules. Searches by build ID and by debug link, below the root
 * directory of PID and then below dwell's root directory. The caller owns the
 * result. Returns NULL if no debug file is needed or found.
 */
struct elf_file *sources_open_debug(const struct sources *sources,
	struct elf_file *file, const struct dso *dso, uint32_t pid);

#endif
