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

#endif
