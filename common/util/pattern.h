/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles the regular expressions of options. Refuses expressions for which
 * regcomp(3) would take minutes, or all stack or memory.
 */
#ifndef DWELL_COMMON_UTIL_PATTERN_H
#define DWELL_COMMON_UTIL_PATTERN_H

#include <regex.h>

#include "common/util/error.h"

/*
 * Compiles TEXT, an extended regular expression. The caller frees RET by
 * regfree(), except after an error. The error starts with WHAT, the option.
 */
struct error *pattern_compile(
	const char *what, const char *text, regex_t *ret) _must_check_;

#endif
