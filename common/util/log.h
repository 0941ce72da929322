/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program tells its user on stderr beside its result: one line each,
 * behind the program's name. Not for errors that end the job: those are
 * struct error and are printed by main.
 */
#ifndef DWELL_COMMON_UTIL_LOG_H
#define DWELL_COMMON_UTIL_LOG_H

#include "common/util/base.h"

enum log_level {
	LOG_QUIET,   /* -q: errors only */
	LOG_NORMAL,
	LOG_VERBOSE, /* -v */
};

/* PROGRAM ("dwell record") is borrowed for the life of the process. */
void log_init(const char *program);
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/*
 * Gets the lines instead of stderr, escaped and without the program's name:
 * where something else is on the terminal. It is called by any thread, one at a
 * time. A zeroed one leaves them to stderr.
 */
struct log_taker {
	void (*take)(void *context, const char *line);
	void *context;
};
/* Returns who took them before, who isn't called any more. */
struct log_taker log_divert(struct log_taker taker);
/* A LINE that was taken, to stderr at last, whoever gets lines now. */
void log_retell(const char *line);

/* Something that the user must hear even with -q: the job failed. */
void log_error(const char *format, ...) _printf_(1, 2);
/*
 * Two lines behind a log_error(): SOURCE, or the part of it around AT, and
 * carets below the LENGTH bytes (at least one) from AT on.
 */
void log_pointer(const char *source, size_t at, size_t length);
/* Something that the user should know: what was given up, what was found. */
void log_note(const char *format, ...) _printf_(1, 2);
/* Something for the curious. */
void log_verbose(const char *format, ...) _printf_(1, 2);

#endif
