/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors with a message of one line. Each calling layer can wrap an error once,
 * to add the name of the file or option. Only a main.c prints errors.
 *
 * A function that can fail returns struct error *, which the caller owns; NULL
 * is success. Hot paths return a count or bool instead and never allocate
 * errors.
 */
#ifndef DWELL_COMMON_UTIL_ERROR_H
#define DWELL_COMMON_UTIL_ERROR_H

#include "common/util/base.h"

/* The exit status of the program that ends with the error. */
enum error_kind {
	ERROR_FAILED = 1, /* the verb failed */
	ERROR_USAGE = 2,  /* the command line was wrong */
};

struct error {
	enum error_kind kind;
	int errnum; /* the errno of the cause, or 0 */
	char *text; /* one line without a newline */
	/* The user's input; its LENGTH bytes from offset AT are wrong. */
	char *source; /* owned; NULL: no wrong input */
	size_t at, length;
};

struct error *error_new(const char *format, ...) _printf_(1, 2) _must_check_;
struct error *error_usage(const char *format, ...) _printf_(1, 2) _must_check_;
/* Returns an error with the text "FORMAT: strerror(ERRNUM)". */
struct error *error_errno(int errnum, const char *format, ...)
	_printf_(2, 3) _must_check_;
/* Prepends "FORMAT: " to ERR's text. Takes ERR, which may be NULL. */
struct error *error_wrap(struct error *err, const char *format, ...)
	_printf_(2, 3) _must_check_;
/* Appends "; FORMAT" to ERR's text. Takes ERR, which may be NULL. */
struct error *error_hint(struct error *err, const char *format, ...)
	_printf_(2, 3) _must_check_;
/*
 * Sets the wrong input of ERR, for log_pointer(): LENGTH bytes of SOURCE from
 * offset AT. SOURCE is copied. Later calls for the same ERR have no effect.
 * Takes ownership of ERR, which may be NULL.
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
