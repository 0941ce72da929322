/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions as their authors wrote them, by libiberty: of C++ (Itanium's
 * ABI), Rust (both manglings) and D. Parameters are left out, and the hashes that
 * Rust adds. Names of Ada have no mark that would tell them from C's.
 */
#ifndef DWELL_DEMANGLE_H
#define DWELL_DEMANGLE_H

#include "common/base.h"

/* For the whole process: off, every name is as the linker has it. */
void demangle_turn(bool is_on);

/* Owned by the caller; NULL when NAME is not mangled. */
char *demangle(const char *name);

#endif
