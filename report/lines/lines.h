/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined functions of the code of a recording: those that the
 * recording contains, or else those in the debug information of the DSOs'
 * files, except files that can have changed since the recording. A file is
 * opened when its code is first requested. Not thread-safe.
 */
#ifndef DWELL_REPORT_LINES_LINES_H
#define DWELL_REPORT_LINES_LINES_H

#include "common/file/line_unit.h"
#include "report/symbols/files.h"

struct lines;

/* A code address: OFFSET in the file of a DSO, minus BACK bytes. */
struct line_query {
	uint32_t dso; /* number in survey->maps */
	uint64_t offset, back;
};

/* FILES is borrowed until lines_destroy(). */
struct lines *lines_create(struct files *files);
/* LINES may be NULL. */
void lines_destroy(struct lines *lines);

/*
 * Reads the debug information for N QUERIES in advance, that of several files
 * in parallel.
 */
void lines_prepare(
	struct lines *lines, const struct line_query *queries, size_t n);

/*
 * Stores the frames at QUERY in RET: inlined functions, the innermost first,
 * and last the function that is not inlined. Returns the number of frames; 0:
 * unknown. The texts of frames are valid until lines_destroy().
 */
size_t lines_frames(struct lines *lines, const struct line_query *query,
	struct line_frame ret[LINE_DEPTH_MAX]);

/*
 * Splits the file offsets [START, END) of DSO into ranges with the same frames,
 * and calls SEE for each range in ascending order. Ranges without known lines
 * are left out. Returns false for JIT code, of which only single addresses can
 * be queried.
 */
struct lines_step {
	uint64_t start, end;
	const struct line_frame *frames; /* as in lines_frames() */
	size_t n;			 /* at least one */
};
bool lines_walk(struct lines *lines, uint32_t dso, uint64_t start, uint64_t end,
	void (*take_step)(void *data, const struct lines_step *step),
	void *data);

/*
 * Returns the path of a missing .dwo or dwz file, without which inlined
 * functions of the code of DSO requested so far are unknown; borrowed. Returns
 * NULL if no file is missing or the recording contains the data.
 */
const char *lines_missing_file(struct lines *lines, uint32_t dso);

/*
 * Returns whether the lines of QUERY's DSO are in the recording, or the DSO's
 * file was found and has not changed.
 */
bool lines_has_file(struct lines *lines, const struct line_query *query);

#endif
