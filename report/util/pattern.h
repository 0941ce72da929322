/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular expressions that users give (extended, as perf takes them). */
#ifndef DWELL_REPORT_UTIL_PATTERN_H
#define DWELL_REPORT_UTIL_PATTERN_H

#include <regex.h>

#include "common/util/error.h"

/* For regfree(). WHAT is where TEXT was given, for the message. */
struct error *pattern_compile(
	const char *what, const char *text, regex_t *ret) _must_check_;
/* Whether TEXT is one. */
struct error *pattern_check(const char *what, const char *text) _must_check_;

#endif
