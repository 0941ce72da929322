/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints all samples, and other records that the options select, in the format
 * of perf script.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_H
#define DWELL_REPORT_SCRIPT_SCRIPT_H

#include "report/result/result.h"

struct script_out {
	struct strbuf *text; /* the output is appended; borrowed */
	/*
	 * .begin is called once before the first text; TOTAL is the size of the
	 * samples in bytes. .more is called after each record; DONE of these
	 * bytes were read. If it returns false, no more records are printed.
	 */
	void (*begin)(void *data, uint64_t total);
	bool (*more)(void *data, uint64_t done);
	void *data; /* argument of both */
};

/* RESULT is of result_prepare(); its options select the fields. */
struct error *script_run(
	struct result *result, const struct script_out *out) _must_check_;

#endif
