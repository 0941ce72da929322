/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters and changes the stacks of a report by the names of their functions, between
 * resolving and building rows.
 */
#ifndef DWELL_REPORT_TRANSFORM_REFINE_H
#define DWELL_REPORT_TRANSFORM_REFINE_H

#include "report/scan/scan.h"
#include "report/util/filter.h"
#include "report/util/transform_list.h"

struct resolver;

/* Pointers are borrowed. */
struct refine_request {
	const struct filter *filter; /* of the sampled code */
	const struct transform_list *transforms;
	const char
		*parent; /* regex of parent functions; NULL: perf's default */
	const char *ignored_callees; /* regex, or NULL */
	bool wants_parent;	     /* contexts get a parent function */
	bool wants_waits_in; /* contexts get a user function (waits_in.h) */
	bool is_inverted;    /* the outermost parent function counts */
	bool needs_parent;   /* stacks without a parent function are filtered */
	bool hides_unresolved;
	bool moves_own_time; /* to inlined functions */
	bool groups_cut_stacks;
};

/*
 * Changes the stacks of SCAN, whose frames are numbers of locations of RESOLVER:
 * - stores in the contexts the function that the thread waits in;
 * - groups cut stacks (cut_stacks.h);
 * - applies the transforms (transform.h), and subtracts the stacks that they leave out
 * from the totals;
 * - marks stacks as filtered if the filter rejects their sampled code, or if
 * a required parent function is missing;
 * - stores the parent function in the contexts of the other stacks;
 * - removes the callees of the functions .ignored_callees;
 * - removes code without a symbol, also from the totals.
 */
struct error *refine_stacks(struct scan *scan,
	const struct refine_request *request,
	struct resolver *resolver) _must_check_;

#endif
