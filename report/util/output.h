/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the output of a verb to standard output, through a pager if
 * standard output is a terminal, or to a file. The file gets its name only when
 * it is complete.
 */
#ifndef DWELL_REPORT_UTIL_OUTPUT_H
#define DWELL_REPORT_UTIL_OUTPUT_H

#include <stdio.h>
#include <sys/stat.h>

#include "common/util/error.h"
#include "common/util/sink.h"
#include "common/util/strbuf.h"

/*
 * Starts $DWELL_PAGER, $PAGER or less if stdout is a terminal. If TERM is
 * "dumb" or empty, only $DWELL_PAGER is started.
 */
void output_page(void);
/*
 * Returns the width of the terminal that shows stdout, directly or through the
 * pager, in columns; 100 if stdout is no terminal.
 */
size_t output_columns(void);
/*
 * Writes TEXT to stdout. Returns an error if the write or an earlier
 * output_some() failed. If stdout is a closed pipe, SIGPIPE ends the process;
 * if the pipe is that of a pager which the user left, the text is discarded.
 */
struct error *output_text(const struct strbuf *text) _must_check_;
/*
 * Writes TEXT to stdout and clears TEXT, if TEXT is long, so that long output
 * does not fill memory. If the write fails, the next output_text() returns the
 * error.
 */
void output_some(struct strbuf *text);
/*
 * Redirects the text of output_text() to FILE, which is borrowed; NULL: to
 * stdout again.
 */
void output_divert(FILE *file);
/* Flushes stdout and waits for the pager. */
struct error *output_finish(void) _must_check_;

struct output_file {
	int fd;
	char *path;	      /* owned; NULL for stdout */
	char *temporary;      /* owned; NULL: the file has no name yet */
	struct stat replaced; /* status of the file that is replaced; .st_nlink
	                       * 0: none */
	mode_t mode; /* mode of a file that replaces no file; 0: 0666 without
	              * the bits of umask */
};

/*
 * Returns an error if a regular file or a broken symbolic link exists at PATH,
 * unless IS_FORCED. NULL or "-" is stdout.
 */
struct error *output_check(const char *path, bool is_forced) _must_check_;

/*
 * Opens PATH for writing; NULL or "-" is stdout, and SIGPIPE ends the process
 * if stdout is a closed pipe. Until output_commit() the file has no name, or a
 * temporary one in the same folder. Devices and FIFOs are written directly. A
 * FIFO that no program reads is an error.
 */
struct error *output_open(
	const char *path, struct output_file *ret) _must_check_;
/*
 * Opens a replacement of the existing file PATH, which had SIZE bytes when it
 * was read. output_commit() gives the new file the owner and mode of the old
 * file, and flushes it to disk. output_commit() fails, and keeps the old file,
 * if the old file has changed since.
 */
struct error *output_replace(
	const char *path, uint64_t size, struct output_file *ret) _must_check_;
/*
 * Closes FILE, and gives it the name PATH of output_open(), or removes the file
 * if FAILED.
 */
struct error *output_commit(struct output_file *file, bool failed) _must_check_;

/*
 * The limit of a verb's output. A recording of a few kilobytes can expand to
 * any number of bytes, so a verb that prints samples stops at the limit.
 * There is one limit per process, for all bytes that are written to standard
 * output and to the files of --output. Not thread-safe.
 */

/*
 * The default limit: 1,000 times the size of the recordings, at least 1 GiB.
 */
#define OUTPUT_LIMIT_BY_INPUT UINT64_MAX

/*
 * Sets the output limit to SIZE bytes (0: no limit), and starts to count the
 * output at 0.
 */
void output_limit_begin(uint64_t size);
/*
 * Adds SIZE, the size of a recording in bytes, to the size of the recordings
 * for OUTPUT_LIMIT_BY_INPUT.
 */
void output_limit_add_input(uint64_t size);
/*
 * Returns whether SIZE more bytes of output are within the limit. If not,
 * output_limit_error() returns an error from then on.
 */
bool output_limit_has_room(uint64_t size);
/*
 * Counts SIZE more bytes of output, if they are within the limit. Returns the
 * result of output_limit_has_room().
 */
bool output_limit_take(uint64_t size);
/*
 * Returns NULL if the output has not exceeded the limit. PATH is the file that
 * will be removed, or NULL for standard output.
 */
struct error *output_limit_error(const char *path) _must_check_;
/*
 * Returns a sink that writes to *FD like that of sink_of_file(), but fails with
 * EFBIG if the output limit is exceeded.
 */
struct sink output_limit_sink(int *fd);

#endif
