/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined functions of the code of a recording: those that the
 * recording contains, or else those in the debug information of its files,
 * except files that can have changed since. A file is opened when its code is
 * requested first. For one thread.
 */
#ifndef DWELL_REPORT_LINES_LINES_H
#define DWELL_REPORT_LINES_LINES_H

#include "report/lines/line_unit.h"
#include "report/symbols/files.h"
#include "report/symbols/packed_dsos.h"

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

/* Reads the data of N QUERIES in advance, for several files at once. */
void lines_prepare(
	struct lines *lines, const struct line_query *queries, size_t n);

/*
 * Stores the frames at QUERY, the innermost first, the function itself last.
 * Returns their number; 0: unknown. Texts are valid until lines_destroy().
 */
size_t lines_frames(struct lines *lines, const struct line_query *query,
	struct line_frame ret[LINE_DEPTH_MAX]);

/*
 * Calls SEE for the parts of [START, END) of the DSO's file in ascending order.
 * All addresses of a part have the same frames. Parts without known lines are
 * left out. Returns false for JIT code, of which only single addresses can be
 * queried.
 */
struct lines_step {
	uint64_t start, end;
	const struct line_frame *frames; /* as in lines_frames() */
	size_t n;			 /* at least one */
};
bool lines_walk(struct lines *lines, uint32_t dso, uint64_t start, uint64_t end,
	void (*see)(void *data, const struct lines_step *step), void *data);

/*
 * Returns the missing file without which inlined functions of the code of DSO
 * requested so far are unknown; borrowed; NULL: none, or the recording contains
 * the data.
 */
const char *lines_missing_file(struct lines *lines, uint32_t dso);

/*
 * Returns whether there are the recorded lines of the DSO, or its file as it
 * was recorded.
 */
bool lines_has_file(struct lines *lines, const struct line_query *query);

/*
 * The section "lines": source lines and inlined functions of the sampled code
 * of each DSO with debug information (doc/format.md). The addresses of a unit
 * are offsets in the file of the DSO, or equivalent numbers; it has no ranges.
 */
#define PACKED_LINES_VERSION 1u

/*
 * Each piece is a struct line_unit. Returns NULL if the recording has no such
 * section.
 */
struct packed_dsos *packed_lines_create(struct reader *reader);
/*
 * Reads the valid parts of SECTION. Takes the memory of SECTION, which is empty
 * afterwards.
 */
struct packed_dsos *packed_lines_read(struct strbuf *section);

#endif
