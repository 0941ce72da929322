/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the process with the most thread names in the rows of a report. In a
 * report by thread names, the rows of a function are split by these names.
 */
#ifndef DWELL_REPORT_RESULT_THREAD_NAMES_H
#define DWELL_REPORT_RESULT_THREAD_NAMES_H

#include "report/result/result.h"

/* A process with this number of thread names, or fewer, is not reported. */
#define THREAD_NAMES_FEW 8u

struct thread_names {
	uint32_t pid;
	const char *process; /* name of the process, borrowed from the result;
			      * NULL: unknown */
	uint32_t n_threads;  /* threads of which the last name is in a row */
	uint32_t n_names;    /* different names of these threads */
};

/*
 * Sets RET to the process with the most thread names in the rows of RESULT that
 * are shown. The threads of each recording are counted separately. Returns
 * false if there are at most THREAD_NAMES_FEW names, if rows are not grouped by
 * thread name, or if they are grouped by thread ID, too.
 */
bool thread_names_find(const struct result *result, struct thread_names *ret);

#endif
