/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangles names of functions by libiberty: of C++ (Itanium's ABI), Rust (both
 * manglings) and D. Parameters are left out, and the hashes that Rust adds.
 * Ada's mangled names cannot be distinguished from names of C.
 *
 * Names are hostile: any process can name its code in a perf map. Memory and
 * time for one name are bounded; beyond the bounds, the mangled name is shown.
 */
#ifndef DWELL_REPORT_UTIL_DEMANGLE_H
#define DWELL_REPORT_UTIL_DEMANGLE_H

#include "common/util/base.h"

/* Enables or disables demangling in the whole process. */
void demangle_turn(bool is_on);

/*
 * Returns the demangled NAME, owned by the caller; NULL if NAME is not mangled
 * or its demangled form is beyond the bounds. Thread-safe.
 */
char *demangle(const char *name);

/*
 * Checks of mangled names before libiberty demangles them. A name of 300
 * characters can keep libiberty busy for hours although it prints nothing, so
 * that limiting the output is not enough. The checks read the text once and do
 * not parse it: they may reject a sound name, but no compiler is known to
 * produce one.
 */

/* Longer names are rejected: libiberty recurses. */
#define MANGLED_SIZE_MAX 8192u

/*
 * Returns whether libiberty's work on NAME is bounded, apart from what it
 * prints.
 */
bool demangle_check_itanium(const char *name);
bool demangle_check_rust(const char *name);
/* Also bounds the output: libiberty has no callback for D. */
bool demangle_check_d(const char *name);

#endif
