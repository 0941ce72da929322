/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the process with the most thread names in the rows of a report. In a
 * report by thread names, the rows of a function are split by these names.
 */
#ifndef DWELL_REPORT_RESULT_THREAD_NAMES_H
#define DWELL_REPORT_RESULT_THREAD_NAMES_H

#include "report/rows/hist.h"

struct thread_names {
	uint32_t pid;
	const char *process; /* name of the process, borrowed from the inputs;
			      * NULL: unknown */
	uint32_t n_threads;  /* threads of which the last name is in a row */
	uint32_t n_names;    /* different names of these threads; 0: no such
			      * process */
	uint64_t samples;    /* samples of rows with these names */
	bool split_rows;     /* several names, which have most of the samples */
	bool are_merged; /* set by the caller: rows are not grouped by name */
};

/*
 * Sets RET to the process with the most thread names in the rows of HISTS, N
 * histograms for REQUEST, that are shown; to no process if rows are not grouped by
 * thread name, or are grouped by thread ID, too. The threads of each recording in NAMES
 * are counted separately.
 */
void thread_names_find(const struct field_names *names,
	const struct hist *hists, size_t n, const struct hist_request *request,
	struct thread_names *ret);

#endif
