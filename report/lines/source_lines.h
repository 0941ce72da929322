/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of the code of a recording: those in the recording
 * (packed_source.h), or else those of source files on this machine. Not
 * thread-safe.
 */
#ifndef DWELL_REPORT_LINES_SOURCE_LINES_H
#define DWELL_REPORT_LINES_SOURCE_LINES_H

#include "report/symbols/files.h"

struct source_lines;

/* Where a relative path is looked for that no --source-path matches. */
enum source_relative {
	SOURCE_RELATIVE_TO_CWD,	  /* --symfs, then the current folder */
	SOURCE_RELATIVE_TO_SYMFS, /* only --symfs: in the current folder can be
				     another file */
};

/* FILES is borrowed until source_lines_destroy(). */
struct source_lines *source_lines_create(
	struct files *files, enum source_relative relative);
/* LINES may be NULL. */
void source_lines_destroy(struct source_lines *lines);

struct source_line {
	const char *text;    /* borrowed; not NUL-terminated; NULL: unknown */
	size_t size;	     /* without the line end */
	bool is_recorded;    /* the text is from the recording */
	uint64_t changed_ns; /* if not .is_recorded: modification time of the
				file, wall clock in ns */
};
/*
 * Returns line number LINE, counted from 1, of FILE, a file name in struct
 * line_frame.
 */
struct source_line source_lines_find(
	struct source_lines *lines, const char *file, uint32_t line);

/*
 * If FORGIVES, source_lines_report_missing() does not report files that
 * source_lines_find() looks for next: nobody expects the sources of a distribution's
 * libraries.
 */
void source_lines_forgive(struct source_lines *lines, bool forgives);
/*
 * Reports the first source file that source_lines_find() looked for on this
 * machine and did not find, the number of other such files, and the option that
 * helps. Prints nothing if the same file was reported before.
 */
void source_lines_report_missing(const struct source_lines *lines);

/*
 * Lines of source files on this machine that debug information names. The file
 * names are not trusted: only regular files are read, and only files whose text
 * may be shown.
 */
struct source_texts;

/*
 * A path that PATHS->source_paths maps is only looked for where it is mapped
 * to. For other paths, files below PATHS->symfs are preferred. PATHS is
 * borrowed.
 */
struct source_texts *source_texts_create(
	const struct search_paths *paths, enum source_relative relative);
/* TEXTS may be NULL. */
void source_texts_destroy(struct source_texts *texts);

struct source_text {
	const char *at; /* borrowed; not NUL-terminated; NULL: the line is not
			   found */
	size_t size;	/* without the line end */
	uint64_t changed_ns; /* modification time of the file, wall clock */
};
/* Returns line number LINE, counted from 1, of FILE. */
struct source_text source_texts_find(
	struct source_texts *texts, const char *file, uint32_t line);

#endif
