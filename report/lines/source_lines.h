/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the source code that a recording's code was written in: those that the
 * recording has (packed_source.h), or else those of this machine's files
 * (source_texts.h). For one thread.
 */
#ifndef DWELL_REPORT_LINES_SOURCE_LINES_H
#define DWELL_REPORT_LINES_SOURCE_LINES_H

#include "report/symbols/files.h"

struct source_lines;

/* FILES is borrowed for the life of what is returned. */
struct source_lines *source_lines_create(struct files *files);
/* NULL is fine. */
void source_lines_destroy(struct source_lines *lines);

struct source_line {
	const char *text; /* borrowed; not terminated; NULL: nobody has it */
	size_t size;      /* without the line's end */
	bool is_recorded; /* as it was when the code was built */
	uint64_t changed_ns; /* else: when its file was, by the wall clock */
};
/* LINE, from 1, of FILE, as lines.h names it. */
struct source_line source_lines_find(
	struct source_lines *lines, const char *file, uint32_t line);

#endif
