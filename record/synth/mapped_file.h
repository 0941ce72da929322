/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the file behind a mapping of a process. Tries, in this order: the link
 * of the mapping in /proc/PID/map_files, the executable of the process, the
 * path in the root of the process, the path in the root of the recorder, and
 * the map_files links of smaller mappings that lie within the range. A file is
 * accepted only if its identity matches: the build ID if the kernel reported
 * one, else inode and device. The vdso of 32-bit processes is copied out of the
 * memory of the process.
 */
#ifndef DWELL_RECORD_SYNTH_MAPPED_FILE_H
#define DWELL_RECORD_SYNTH_MAPPED_FILE_H

#include "common/perf/record.h"
#include "record/sys/timed_worker.h"

struct mapped_file {
	uint32_t pid;
	uint64_t start, end; /* address range of the mapping; start and end 0:
				unknown */
	const char *path;
	uint32_t major, minor;
	uint64_t inode;
	struct build_id build_id;
};

/*
 * Returns a descriptor of the mapped file for reading, owned by the caller; -1:
 * not found.
 */
int mapped_open(const struct mapped_file *mapped);
/*
 * Returns the modification time of the file FD, CLOCK_REALTIME in ns;
 * UINT64_MAX: unknown.
 */
uint64_t mapped_modified_ns(int fd);

/* The search for the file of a mapping in a separate thread, and its result. */
struct mapped_job {
	struct timed_job job;
	struct mapped_file mapped; /* .path is owned */
	int fd; /* descriptor of the file; owned; -1: not found */
	/* Properties of the found file. */
	struct build_id build_id; /* build ID of the file; size 0: none */
	uint64_t modified_ns;	  /* CLOCK_REALTIME in ns */
	bool is_at_path; /* the file exists at its path in the root of the
			    recorder */
};
/*
 * Searches the file of the mapping MAP. Returns the result, which the caller
 * destroys, or NULL if the search timed out.
 */
struct mapped_job *mapped_find(
	struct timed_worker *worker, const struct record_mmap *map);
void mapped_job_destroy(struct mapped_job *job);
/*
 * Returns a descriptor of the file of the mapping MAP, owned by the caller; -1: not
 * found, or the search timed out.
 */
int mapped_open_in_time(
	struct timed_worker *worker, const struct record_mmap *map);

#endif
