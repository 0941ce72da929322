/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of the code of a recording: those in the recording
 * (packed_source.h), or else those of files of this machine (source_texts.h).
 * For one thread.
 */
#ifndef DWELL_REPORT_LINES_SOURCE_LINES_H
#define DWELL_REPORT_LINES_SOURCE_LINES_H

#include "report/symbols/files.h"

struct source_lines;

/* FILES is borrowed until source_lines_destroy(). */
struct source_lines *source_lines_create(struct files *files);
/* LINES may be NULL. */
void source_lines_destroy(struct source_lines *lines);

struct source_line {
	const char *text;    /* borrowed; not NUL-terminated; NULL: unknown */
	size_t size;	     /* without the line end */
	bool is_recorded;    /* the text is as old as the code */
	uint64_t changed_ns; /* otherwise: modification time of the file, wall
				clock */
};
/* Returns LINE, counted from 1, of FILE, a name of lines.h. */
struct source_line source_lines_find(
	struct source_lines *lines, const char *file, uint32_t line);

#endif
