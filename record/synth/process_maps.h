/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings of a running process (/proc/PID/maps), as MMAP2 records. Finds
 * the file of code that the process copied to memory without a file at the same
 * addresses, as programs do whose code is to be in huge pages.
 */
#ifndef DWELL_RECORD_SYNTH_PROCESS_MAPS_H
#define DWELL_RECORD_SYNTH_PROCESS_MAPS_H

#include "common/perf/record.h"
#include "common/util/array.h"
#include "record/sys/tasks.h"
#include "record/sys/timed_worker.h"

struct process_maps {
	uint32_t pid;
	struct strbuf text; /* of the lines */
	ARRAY(struct task_mapping) lines;
	unsigned n_compared; /* calls of process_maps_find_copied() with a file
			      */
	/*
	 * The last lines without a file in a row that were searched: from
	 * .first to before .end. From .close_on, each of them ends where the
	 * next line begins.
	 */
	struct process_anonymous {
		size_t first, end, close_on;
	} run;
};

/*
 * Reads the mappings of PID into RET, which the caller frees with
 * process_maps_deinit(). There is no line if the process has ended or is not
 * readable. Of more than 1,048,576 lines, the others are left out.
 */
void process_maps_read(uint32_t pid, struct process_maps *ret);
void process_maps_deinit(struct process_maps *maps);

/* Returns whether LINE is executable, and whether it is memory without a file.
 */
bool process_maps_is_code(const struct task_mapping *line);
bool process_maps_is_anonymous(const struct task_mapping *line);

/*
 * Returns the mapping of LINE, without the build ID of its file. The path is
 * borrowed from LINE, or "//anon" for memory that has no name or that has one
 * from the process ("[anon:NAME]").
 */
struct record_mmap process_maps_record(
	const struct process_maps *maps, const struct task_mapping *line);

/*
 * Returns whether line INDEX is code in memory without a file that is the same
 * as the code of the file mapped around it or directly behind it. Sets RET to
 * the mapping that this part of the file would have, with the build ID of the
 * file; its path is borrowed from MAPS. Compares at most 1 MiB, which is spread
 * over the code, in a job of WORKER, because a process can make each reader of
 * its memory wait. After 64 comparisons, returns false. In the order of the
 * lines, the calls for all lines take time in proportion to their number.
 */
bool process_maps_find_copied(struct process_maps *maps, size_t index,
	struct timed_worker *worker, struct record_mmap *ret);

#endif
