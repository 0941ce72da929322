/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Excludes the recorder itself (--exclude-perf). The kernel can do so for
 * tracepoints, which the recorder would otherwise cause as fast as it reads
 * them. The drain drops the other samples.
 */
#ifndef DWELL_RECORD_OPEN_EXCLUDE_SELF_H
#define DWELL_RECORD_OPEN_EXCLUDE_SELF_H

#include "record/open/open.h"

/* Call it when all threads of the recorder are running. */
void exclude_self_apply(const struct event_fds *opened);

#endif
