/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds mapped files open from their first mapping on, so that the symbols of a
 * file can be read at the end of the recording, even if the file was deleted,
 * replaced or unmounted. Each file is pinned once. The number of held files is
 * limited; files that can be opened again by their path are closed first. The
 * vdso of 32-bit processes is not a file: a copy of the vdso is held, because
 * it is the same in all processes.
 *
 * A deleted file uses its disk space until pinned_files_destroy().
 */
#ifndef DWELL_RECORD_SYMBOLS_PINNED_FILES_H
#define DWELL_RECORD_SYMBOLS_PINNED_FILES_H

#include "common/maps/maps.h"
#include "record/sys/timed_worker.h"

struct pinned_files;

/* WORKER is borrowed. At most N_MAX descriptors are held. */
struct pinned_files *pinned_files_create(
	struct timed_worker *worker, size_t n_max);
void pinned_files_destroy(struct pinned_files *pins);

/* Opens the file of MAP, a new mapping, unless the file was held before. */
void pinned_files_add_mapping(
	struct pinned_files *pins, const struct record_mmap *map);

struct pinned_file {
	int fd;		      /* borrowed; -1: not held */
	uint64_t modified_ns; /* modification time when the file was
				 opened, CLOCK_REALTIME */
};
/* Returns the held file of DSO. */
struct pinned_file pinned_files_find(
	const struct pinned_files *pins, const struct dso *dso);
/* Returns the number of held files. */
size_t pinned_files_count(const struct pinned_files *pins);

#endif
