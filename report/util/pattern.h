/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular expressions of options (POSIX extended, as in perf). */
#ifndef DWELL_REPORT_UTIL_PATTERN_H
#define DWELL_REPORT_UTIL_PATTERN_H

#include <regex.h>

#include "common/util/error.h"

/* Compiles TEXT for regexec(); regfree() frees RET. WHAT is the option. */
struct error *pattern_compile(
	const char *what, const char *text, regex_t *ret) _must_check_;
/* Returns an error if TEXT is not a regular expression. */
struct error *pattern_check(const char *what, const char *text) _must_check_;

#endif
