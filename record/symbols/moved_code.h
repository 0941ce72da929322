/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files of code that processes moved, and makes MMAP2 records of
 * them. The kernel reports memory without a file that replaces code of a file,
 * but not that the memory contains a copy of the code. It reports nothing at
 * all about code that mremap() moved: samples then hit no mapping. A thread
 * reads the mappings of these processes, and compares the copy with the file
 * (process_maps.h), while they run.
 */
#ifndef DWELL_RECORD_SYMBOLS_MOVED_CODE_H
#define DWELL_RECORD_SYMBOLS_MOVED_CODE_H

#include "common/perf/record.h"
#include "common/perf/sample.h"
#include "common/util/error.h"

struct moved_code;

/*
 * LAYOUT is the sample layout of the sideband event, borrowed. ID is the
 * canonical ID of the sideband event. ON_FOUND is called in the thread with the
 * records of one process that were made.
 */
struct moved_code *moved_code_create(const struct sample_layout *layout,
	uint64_t id, void (*on_found)(void *data, const struct strbuf *records),
	void *data);
struct error *moved_code_start(struct moved_code *moved) _must_check_;
/* Ends the thread when it has compared the code that it compares now. */
void moved_code_stop(struct moved_code *moved);
void moved_code_destroy(struct moved_code *moved);

/*
 * Adds RECORD, the record of the executable mapping MAP. If the mapping is
 * memory without a file and replaces code of a file, the thread compares them.
 * If the path was too long for the kernel, requests the mapping with its path.
 * Only one thread may call this function.
 */
void moved_code_add_mapping(struct moved_code *moved,
	const struct record *record, const struct record_mmap *map);

/*
 * Requests the mapping of ADDRESS in process PID, which was sampled at TIME
 * (clocks_now()) and is in no known mapping. Thread-safe. The mappings of a
 * process are read at most every 100 ms, and for an address without code only
 * once.
 */
void moved_code_add_unmapped(struct moved_code *moved, uint32_t pid,
	uint64_t address, uint64_t time);

#endif
