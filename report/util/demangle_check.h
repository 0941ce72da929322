/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks mangled names before libiberty demangles them. A name of 300 characters
 * can keep libiberty busy for hours although it prints nothing, so that limiting
 * the output is not enough. The checks read the text once and do not parse it:
 * they may reject a sound name, but no compiler is known to produce one.
 */
#ifndef DWELL_REPORT_UTIL_DEMANGLE_CHECK_H
#define DWELL_REPORT_UTIL_DEMANGLE_CHECK_H

#include "common/util/base.h"

/* Longer names are rejected: libiberty recurses. */
#define MANGLED_SIZE_MAX 8192u

/* Returns whether libiberty's work on NAME is bounded, apart from what it prints. */
bool demangle_check_itanium(const char *name);
bool demangle_check_rust(const char *name);
/* Also bounds the output: libiberty has no callback for D. */
bool demangle_check_d(const char *name);

#endif
