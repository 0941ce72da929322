/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first frame of each stack in a flame graph (--group-by). */
#ifndef DWELL_REPORT_UTIL_FLAME_GROUPING_H
#define DWELL_REPORT_UTIL_FLAME_GROUPING_H

#include "common/util/completion.h"

enum flame_grouping {
	FLAME_BY_PROCESS, /* the name of the process */
	FLAME_BY_THREAD,  /* the name of the thread at the time of the sample */
	FLAME_BY_NONE,	  /* no frame; stacks begin with a function */
};

/*
 * Sets *RET to the grouping with the name that --group-by accepts: "process",
 * "thread" or "none". Returns false if NAME is unknown.
 */
bool flame_grouping_find(const char *name, enum flame_grouping *ret);
COMPLETER(flame_grouping_complete);

#endif
