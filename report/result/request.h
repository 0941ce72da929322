/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the options of a report to requests: for the rows of the report, and
 * for the scan that counts the stacks for these rows.
 */
#ifndef DWELL_REPORT_RESULT_REQUEST_H
#define DWELL_REPORT_RESULT_REQUEST_H

#include "report/options/options.h"
#include "report/rows/hist.h"
#include "report/transform/refine.h"

/*
 * Writes the request for the rows of a report to RET, which the caller has
 * zeroed. The caller frees RET with columns_deinit() also after an error.
 */
struct error *request_make(const struct options *options,
	const struct inputs *inputs, struct hist_request *ret) _must_check_;

/* Returns whether the samples of READER have callers. */
bool request_has_chains(const struct reader *reader);
/*
 * Returns whether the samples of READER have branch stacks for another purpose
 * than call chains.
 */
bool request_has_branches(const struct reader *reader);

/* Returns whether OPTIONS permit the change of cut stacks (cut_stacks.h). */
bool request_groups_cut_stacks(const struct options *options);
/*
 * Returns the request to change the stacks for ROWS. All arguments are borrowed.
 */
struct refine_request request_refine(const struct options *options,
	const struct transform_list *transforms,
	const struct hist_request *rows);

/*
 * Returns the request for the scan of input number INPUT for ROWS. All
 * arguments are borrowed. If SELECTION is NULL, all samples are selected.
 */
struct scan_request request_scan(const struct options *options,
	const struct transform_list *transforms,
	const struct hist_request *rows,
	const struct sample_selection *selection, uint16_t input);

#endif
