/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the file behind a mapping of a process. Tries, in this order: the link
 * of the mapping in map_files, the executable of the process, the path in the
 * root of the process, the path in our root, and the links of smaller mappings
 * that lie within the range. A file is accepted only if its identity matches:
 * the build ID if the kernel reported one, else inode and device. The vdso of
 * 32-bit processes is copied out of the memory of the process.
 */
#ifndef DWELL_RECORD_SYNTH_MAPPED_FILE_H
#define DWELL_RECORD_SYNTH_MAPPED_FILE_H

#include "common/perf/record.h"
#include "record/sys/timed_worker.h"

struct mapped {
	uint32_t pid;
	uint64_t start, end; /* of the mapping; both 0: not known */
	const char *path;
	uint32_t major, minor;
	uint64_t inode;
	struct build_id build_id;
};

/* A descriptor to read, the caller's; -1 if it isn't to be found. */
int mapped_open(const struct mapped *mapped);
/* When FD was last written to, CLOCK_REALTIME in ns; UINT64_MAX: not known. */
uint64_t mapped_modified_ns(int fd);

/* A file as it was found by a thread of its own. */
struct mapped_job {
	struct patience_job job;
	struct mapped mapped;     /* its path is owned */
	int fd;                   /* owned; -1: not found */
	/* Of what was found: */
	struct build_id build_id; /* size 0: none */
	uint64_t modified_ns;     /* CLOCK_REALTIME */
	bool is_at_path;          /* in our own root, too */
};
/* What MAP maps, the caller's to destroy; NULL: the search took too long. */
struct mapped_job *mapped_find(
	struct patience *patience, const struct record_mmap *map);
void mapped_job_destroy(struct mapped_job *job);

#endif
