/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every sample, and other records, as text, in the shape that scripts for perf
 * read. Where the text goes its user says.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_H
#define DWELL_REPORT_SCRIPT_SCRIPT_H

#include "report/result/result.h"

struct script_out {
	struct strbuf *text; /* borrowed; what is added to */
	/*
	 * Called once before the first text, of samples in TOTAL bytes, then
	 * after each record, when DONE of these were read. False: there is no
	 * use in more.
	 */
	void (*begin)(void *data, uint64_t total);
	bool (*more)(void *data, uint64_t done);
	void *data; /* for both */
};

/* RESULT is prepared; its options tell which fields. */
struct error *script_run(
	struct result *result, const struct script_out *out) _must_check_;

#endif
