/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is one branch of a call graph, though it is several locations: an
 * inlined function, whatever it was inlined into, as in perf's, and a function
 * or a line of which each address is a location. Not across files.
 */
#ifndef DWELL_REPORT_ROWS_BRANCHES_H
#define DWELL_REPORT_ROWS_BRANCHES_H

#include "report/resolve/resolve.h"

enum branch_key {
	BRANCH_FUNCTION,
	BRANCH_ADDRESS,
	BRANCH_LINE, /* of a function: those are never mixed */
};

/*
 * For each location of RESOLVER the first one that is in the same branch; owned
 * by the caller.
 */
uint32_t *branches_find(struct resolver *resolver, enum branch_key key);

#endif
