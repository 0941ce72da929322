/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong, in one line that grows on its way up: each layer that knows
 * more (which file, which option) wraps it once. Only a main.c prints it.
 *
 * A function that can fail returns struct error *, NULL meaning success; the
 * caller owns it. Hot paths return a count or bool instead and never make one.
 */
#ifndef DWELL_COMMON_UTIL_ERROR_H
#define DWELL_COMMON_UTIL_ERROR_H

#include "common/util/base.h"

/* The exit status that an error leads to. */
enum error_kind {
	ERROR_FAILED = 1, /* the job failed */
	ERROR_USAGE = 2,  /* the command line was wrong */
};

struct error {
	enum error_kind kind;
	int errnum; /* the errno behind it, or 0 */
	char *text; /* one line, no newline at its end */
	/* What the user typed, of which LENGTH bytes from AT on are wrong. */
	char *source; /* owned; NULL: nothing to point at */
	size_t at, length;
};

struct error *error_new(const char *format, ...) _printf_(1, 2) _must_check_;
struct error *error_usage(const char *format, ...) _printf_(1, 2) _must_check_;
/* Text, then ": " and strerror(ERRNUM). */
struct error *error_errno(int errnum, const char *format, ...)
	_printf_(2, 3) _must_check_;
/* Puts text and ": " before ERR's own; takes ownership of ERR, NULL stays. */
struct error *error_wrap(struct error *err, const char *format, ...)
	_printf_(2, 3) _must_check_;
/* Puts "; " and a remedy behind ERR's text; takes ownership, NULL stays. */
struct error *error_hint(struct error *err, const char *format, ...)
	_printf_(2, 3) _must_check_;
/*
 * Points at LENGTH bytes from AT on of SOURCE (copied), for whoever prints the
 * error; only the first one counts. Takes ownership of ERR, NULL stays.
 */
struct error *error_point(struct error *err, const char *source, size_t at,
	size_t length) _must_check_;
void error_free(struct error *err);

static inline void error_free_pointer(struct error **err)
{
	error_free(*err);
}
#define _cleanup_error_ _cleanup_(error_free_pointer)

#endif
