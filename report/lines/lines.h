/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the code of a recording was written, and what was inlined there, as the
 * recording has it, or else as the debug information of its files tells; not of
 * files that may have changed since. A file is opened when its code is first asked
 * for. For one thread.
 */
#ifndef DWELL_REPORT_LINES_LINES_H
#define DWELL_REPORT_LINES_LINES_H

#include "report/lines/line_unit.h"
#include "report/symbols/files.h"

struct lines;

/* Code that will be asked for. */
struct line_wish {
	uint32_t dso; /* a number of survey->maps */
	uint64_t offset, back;
};

/* FILES is borrowed for the life of what is returned. */
struct lines *lines_create(struct files *files);
/* NULL is fine. */
void lines_destroy(struct lines *lines);

/* What takes time for the N WISHES is done, for several files at once. */
void lines_prepare(
	struct lines *lines, const struct line_wish *wishes, size_t n);

/*
 * What is at OFFSET of DSO's file less BACK bytes, the innermost frame first, the
 * function itself last; how many these are, 0: nobody tells. Texts are borrowed
 * until destroyed.
 */
size_t lines_frames(struct lines *lines, const struct line_wish *wish,
	struct line_frame ret[LINE_DEPTH_MAX]);

/*
 * All that is told of [START, END) of DSO's file, in its order: what stands at
 * STEP.start is the same up to STEP.end. False: it is code that was made at run
 * time, which can only be asked for by its places.
 */
struct lines_step {
	uint64_t start, end;
	const struct line_frame *frames; /* as above, */
	size_t n;                        /* at least one */
};
bool lines_walk(struct lines *lines, uint32_t dso, uint64_t start, uint64_t end,
	void (*see)(void *data, const struct lines_step *step), void *data);

/*
 * Which file inlined functions of DSO's code that was asked for are unknown
 * without; borrowed; NULL: none, as far as it isn't in the recording.
 */
const char *lines_lack(struct lines *lines, uint32_t dso);

/* Whether the file with the code of DSO is there, as it was recorded. */
bool lines_has_file(struct lines *lines, const struct line_wish *wish);

#endif
