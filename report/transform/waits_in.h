/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the innermost function of the program in each stack, for the field
 * waits_in. A thread that waits leaves its CPU in the same few functions of the
 * kernel, and calls them by the same few functions of the C library and of
 * language runtimes. If a stack has no other frames in user space, the function
 * is the innermost of them.
 */
#ifndef DWELL_REPORT_TRANSFORM_WAITS_IN_H
#define DWELL_REPORT_TRANSFORM_WAITS_IN_H

#include "report/resolve/resolve.h"
#include "report/scan/scan.h"

/*
 * Stores the function in the contexts of the stacks of SCAN. The frames of
 * the stacks are numbers of locations of RESOLVER (resolve_scan()). Stacks without a frame in
 * user space keep their contexts.
 */
void waits_in_store(struct scan *scan, struct resolver *resolver);
/*
 * Returns whether the file PATH is a C or C++ library, the dynamic linker, a language
 * runtime or an interpreter.
 */
bool waits_in_is_runtime_file(const char *path);

#endif
