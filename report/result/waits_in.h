/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the innermost function in user space of each stack, for the field
 * waits_in. A thread that waits leaves its CPU in the same few functions of the
 * kernel; this function is the one that called the kernel.
 */
#ifndef DWELL_REPORT_RESULT_WAITS_IN_H
#define DWELL_REPORT_RESULT_WAITS_IN_H

#include "report/resolve/resolve.h"
#include "report/scan/scan.h"

/*
 * Stores the function in the contexts of the stacks of SCAN. The frames of
 * the stacks are numbers of locations of RESOLVER (hist_resolve()). Stacks without a frame in
 * user space keep their contexts.
 */
void waits_in_store(struct scan *scan, const struct resolver *resolver);

#endif
