/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between resolving and rows: what is to be cut from stacks, and which ones
 * are to be left out, by the names in them.
 */
#ifndef DWELL_REPORT_RESULT_REFINE_H
#define DWELL_REPORT_RESULT_REFINE_H

#include "report/options/options.h"
#include "report/rows/hist.h"

/*
 * Of SCAN's stacks, whose frames are numbers of locations (hist_resolve()):
 * - those whose sampled code the filter doesn't want are marked as filtered;
 * - those without a wanted parent, too, and the others' contexts have it;
 * - callees of what is to be without any are cut off;
 * - what has no name is left out, from the totals as well.
 */
struct error *refine(struct scan *scan, const struct options *options,
	const struct hist_request *request, const struct field_names *names)
	_must_check_;

#endif
