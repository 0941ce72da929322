/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaving the recorder itself out (--exclude-perf). The kernel can be told so
 * for tracepoints, of which the recorder would otherwise cause as many as it
 * takes; intake drops the rest.
 */
#ifndef DWELL_RECORD_OPEN_EXCLUDE_SELF_H
#define DWELL_RECORD_OPEN_EXCLUDE_SELF_H

#include "record/open/open.h"

/* To be called when all threads of the recorder run. */
void own_leave_out(const struct opened *opened);

#endif
