/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages on stderr: one line each, with the program's name in front. Errors
 * that end the program are a struct error instead, which main() prints.
 */
#ifndef DWELL_COMMON_UTIL_LOG_H
#define DWELL_COMMON_UTIL_LOG_H

#include "common/util/base.h"

enum log_level {
	LOG_QUIET, /* -q: errors only */
	LOG_NORMAL,
	LOG_VERBOSE, /* -v */
};

/* PROGRAM ("dwell record") is borrowed until the process ends. */
void log_init(const char *program);
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/*
 * Receives the messages of this module instead of stderr, for example while a
 * TUI uses the terminal: one escaped LINE per call, without the program's name.
 * .receive is called by any thread, but by one thread at a time. With a
 * zero-initialized receiver, messages go to stderr.
 */
struct log_receiver {
	void (*receive)(void *context, const char *line);
	void *context;
};
/*
 * Sets the receiver of messages. Returns the previous receiver, which is not
 * called any more.
 */
struct log_receiver log_divert(struct log_receiver receiver);
/* Prints LINE, which .receive got, to stderr, even if a receiver is set. */
void log_print_line(const char *line);

/* Prints an error that ends the program, also with -q. */
void log_error(const char *format, ...) _printf_(1, 2);
/*
 * Prints two lines to stderr, for use after log_error(). The first line is
 * SOURCE, or the part of a long SOURCE around offset AT. The second line has
 * carets below the LENGTH bytes of SOURCE from AT on, at least one caret.
 */
void log_pointer(const char *source, size_t at, size_t length);
/* Prints a note unless -q: a limitation, a fallback, a result. */
void log_note(const char *format, ...) _printf_(1, 2);
/* Prints this note once in the life of the process. Thread-safe. */
#define log_note_once(...)                                                     \
	do {                                                                   \
		static bool is_printed;                                        \
                                                                               \
		if (!__atomic_exchange_n(&is_printed, true, __ATOMIC_RELAXED)) \
			log_note(__VA_ARGS__);                                 \
	} while (0)
/* Prints details, only with -v. */
void log_verbose(const char *format, ...) _printf_(1, 2);

#endif
