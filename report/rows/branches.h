/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps locations to branches of a call graph. Several locations can be one
 * branch: an inlined function, whatever function it is inlined into (as in
 * perf), or a function or a line, all of whose addresses are locations.
 * Locations of different files are never one branch.
 */
#ifndef DWELL_REPORT_ROWS_BRANCHES_H
#define DWELL_REPORT_ROWS_BRANCHES_H

#include "report/resolve/resolve.h"

enum branch_key {
	BRANCH_FUNCTION,
	BRANCH_ADDRESS,
	BRANCH_LINE, /* same function and same source line */
};

/*
 * Returns an array that has, for each location of RESOLVER, the number of the
 * first location of the same branch. The caller frees the array.
 */
uint32_t *branches_find(struct resolver *resolver, enum branch_key key);

#endif
