/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters and shortens stacks by names, between resolving and building rows. */
#ifndef DWELL_REPORT_RESULT_REFINE_H
#define DWELL_REPORT_RESULT_REFINE_H

#include "report/options/options.h"
#include "report/rows/hist.h"

/*
 * Changes the stacks of SCAN, whose frames are numbers of locations
 * (hist_resolve()):
 * - first groups cut stacks (cut_stacks.h);
 * - applies TRANSFORMS (transform.h), and subtracts the
 * stacks that they leave out from the totals;
 * - marks stacks as filtered if the filter rejects their sampled code, or if
 * the parent function that -x requires is missing;
 * - stores the parent function in the contexts of the other stacks;
 * - removes the callees of functions that --ignore-callees names;
 * - with --hide-unresolved, removes code without a symbol, also from the
 * totals.
 */
struct error *refine_stacks(struct scan *scan, const struct options *options,
	const struct transform_list *transforms,
	const struct hist_request *request,
	const struct field_names *names) _must_check_;

#endif
