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
	 * records in bytes. .more is called after each printed record; DONE is
	 * the number of bytes read so far. If .more returns false, no more
	 * records are printed.
	 */
	void (*begin)(void *data, uint64_t total);
	bool (*more)(void *data, uint64_t done);
	void *data; /* argument of .begin and .more */
};

/*
 * Prints the samples and records of RESULT, which result_prepare() initialized.
 * The options in RESULT select the fields.
 */
struct error *script_run(
	struct result *result, const struct script_out *out) _must_check_;

#endif
