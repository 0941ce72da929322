/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report's options ask of its recordings: which rows, and for these
 * which stacks.
 */
#ifndef DWELL_REPORT_RESULT_REQUEST_H
#define DWELL_REPORT_RESULT_REQUEST_H

#include "report/options/options.h"
#include "report/rows/hist.h"

/* RET is zeroed before, and to be given to columns_deinit() in any case. */
struct error *request_make(const struct options *options,
	const struct inputs *inputs, struct hist_request *ret) _must_check_;

/* Whether READER's samples have callers. */
bool request_has_chains(const struct reader *reader);
/* Whether READER's samples have branch stacks, other than for callchains. */
bool request_has_branches(const struct reader *reader);

/*
 * Of the input number INPUT, for ROWS. All is borrowed; PICK may be NULL: all
 * samples.
 */
struct scan_request request_scan(const struct options *options,
	const struct hist_request *rows, const struct pick *pick,
	uint16_t input);

#endif
