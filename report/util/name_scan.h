/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads demangled function names from left to right, so that commas and blanks
 * inside brackets can be distinguished from the others.
 */
#ifndef DWELL_REPORT_UTIL_NAME_SCAN_H
#define DWELL_REPORT_UTIL_NAME_SCAN_H

#include "common/util/base.h"

/*
 * Returns the length of the C++ operator name at index AT of NAME, such as
 * "operator<". The characters of such a name are not brackets. Returns 0 if there is no such
 * name.
 */
size_t name_operator_length(const char *name, size_t at);
/*
 * Returns the number of characters to skip from index AT of NAME: an operator
 * name or one character. Updates *DEPTH, the number of open brackets. NAME must
 * not end at AT.
 */
size_t name_step(const char *name, size_t at, size_t *depth);

#endif
