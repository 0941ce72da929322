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

struct mapped_file {
	uint32_t pid;
	uint64_t start, end; /* range of the mapping; both 0: unknown */
	const char *path;
	uint32_t major, minor;
	uint64_t inode;
	struct build_id build_id;
};

/* Returns a descriptor for reading, owned by the caller; -1: not found. */
int mapped_open(const struct mapped_file *mapped);
/*
 * Returns the modification time of FD, CLOCK_REALTIME in ns; UINT64_MAX:
 * unknown.
 */
uint64_t mapped_modified_ns(int fd);

/* The result of searching a file in a separate thread. */
struct mapped_job {
	struct timed_job job;
	struct mapped_file mapped; /* its path is owned */
	int fd;			   /* owned; -1: not found */
	/* Properties of the found file. */
	struct build_id build_id; /* size 0: none */
	uint64_t modified_ns;	  /* CLOCK_REALTIME */
	bool is_at_path;	  /* also exists at its path in our root */
};
/*
 * Searches the file of MAP. The caller destroys the result. NULL: the search
 * timed out.
 */
struct mapped_job *mapped_find(
	struct timed_worker *worker, const struct record_mmap *map);
void mapped_job_destroy(struct mapped_job *job);

#endif
