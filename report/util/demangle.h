/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demangles function names of C++ (Itanium ABI), Rust (both manglings) and D
 * with libiberty, and of OCaml. Parameters, and the hashes that Rust adds, are left
 * out of the demangled names. Mangled names of Ada cannot be distinguished from names
 * of C.
 *
 * Names are hostile: any process can name its code in a perf map. Memory and
 * time for one name are bounded: a long demangled name is shortened and ends
 * with "...", and a name that would take too much time is shown mangled.
 */
#ifndef DWELL_REPORT_UTIL_DEMANGLE_H
#define DWELL_REPORT_UTIL_DEMANGLE_H

#include "common/util/base.h"

/* Enables or disables demangling in the whole process. */
void demangle_turn(bool is_on);

/*
 * Returns the demangled NAME, owned by the caller; NULL if NAME is not mangled
 * or demangling it could take too much time. Thread-safe.
 */
char *demangle(const char *name);

/*
 * Checks of mangled names before libiberty demangles them. A name of 300
 * characters can keep libiberty busy for hours although it prints nothing, so
 * that limiting the output is not enough. The checks read the text once and do
 * not parse it: they may reject a sound name, but no compiler is known to
 * produce one.
 */

/*
 * Limit of mangled names in bytes. Longer names are rejected, because libiberty
 * recurses.
 */
#define MANGLED_SIZE_MAX 8192u

/*
 * Returns whether libiberty's work on NAME is bounded, apart from its output.
 */
bool demangle_check_itanium(const char *name);
bool demangle_check_rust(const char *name);
/*
 * Returns whether libiberty's work on NAME, a name of D, and its output are
 * bounded: libiberty has no output callback for D.
 */
bool demangle_check_d(const char *name);

#endif
