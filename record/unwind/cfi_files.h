/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the files that contain CFI of mapped code: files that processes have
 * mapped, and the separate debug files of mapped files. Each call waits at most
 * for the timeout of WORKER.
 */
#ifndef DWELL_RECORD_UNWIND_CFI_FILES_H
#define DWELL_RECORD_UNWIND_CFI_FILES_H

#include "common/maps/maps.h"
#include "record/symbols/file_tracker.h"
#include "record/sys/timed_worker.h"

struct elf_file;

struct cfi_files {
	struct file_tracker *tracker; /* borrowed; NULL: no held files */
	struct timed_worker *worker;  /* owned by the caller */
};

/*
 * Opens DSO, which PID has mapped at MAPPING. The caller owns the result.
 * Returns NULL if no file is found.
 */
struct elf_file *cfi_files_open(const struct cfi_files *files,
	const struct dso *dso, const struct mapping *mapping, uint32_t pid);
/*
 * Opens the debug file of FILE, the file of DSO, if FILE itself has too few
 * unwind rules. Searches by build ID and by debug link, below the root
 * folder of PID and then below dwell's root folder. The caller owns the
 * result. Returns NULL if no debug file is needed or found.
 */
struct elf_file *cfi_files_open_debug(const struct cfi_files *files,
	struct elf_file *file, const struct dso *dso, uint32_t pid);

#endif
