/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a verb's text goes: standard output, through a pager if that is a
 * terminal, or a file that gets its name only when it is whole.
 */
#ifndef DWELL_REPORT_UTIL_OUTPUT_H
#define DWELL_REPORT_UTIL_OUTPUT_H

#include <stdio.h>
#include <sys/stat.h>

#include "common/util/error.h"
#include "common/util/strbuf.h"

/*
 * Starts $DWELL_PAGER, $PAGER or less if stdout is a terminal; where TERM says
 * that it can do nothing, only the first.
 */
void output_page(void);
/* Writes TEXT to stdout; a closed pipe or a full disk is an error. */
struct error *output_text(const struct strbuf *text) _must_check_;
/*
 * Writes TEXT to stdout and empties it, if it is long: for those who have much
 * to say. What goes wrong is told by the next output_text().
 */
void output_some(struct strbuf *text);
/* What is written goes to FILE instead of stdout; NULL: to that again. */
void output_divert(FILE *file);
/* Flushes stdout and waits for the pager. */
struct error *output_finish(void) _must_check_;

struct output_file {
	int fd;
	char *path;           /* owned; NULL for stdout */
	char *temporary;      /* owned; NULL: it has no name yet */
	struct stat replaced;   /* .st_nlink 0: nothing */
	mode_t mode; /* of a file that replaces nothing; 0: as umask has it */
};

/* PATH as output_open() takes it; what is there already is refused, unless IS_FORCED. */
struct error *output_check(const char *path, bool is_forced) _must_check_;

/*
 * PATH NULL or "-" is stdout; if nobody reads that any more, SIGPIPE ends the
 * program. A file has no name before it is whole, or one beside PATH.
 */
struct error *output_open(
	const char *path, struct output_file *ret) _must_check_;
/*
 * The same for a file that is there and had SIZE bytes when it was read: what gets
 * its name has its owner and mode, and is on the disk then. One that changed
 * meanwhile stays.
 */
struct error *output_replace(const char *path, uint64_t size,
	struct output_file *ret) _must_check_;
/* Gives the file its name, or removes it if FAILED. */
struct error *output_close(
	struct output_file *file, bool failed) _must_check_;

#endif
