/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognizes stacks whose outer callers are missing, and gives them one
 * outermost frame, CUT_STACKS_NAME, so that no view shows a root that the
 * program does not have. The input is a call chain as locations.
 *
 * A call chain by frame pointers that passed code without frame pointers ends
 * at an address in no mapping, or has one function with a symbol. These are the
 * two signs; a chain that ends at a wrong function has none. Chains that end
 * where programs and threads start are complete.
 */
#ifndef DWELL_REPORT_TRANSFORM_CUT_STACKS_H
#define DWELL_REPORT_TRANSFORM_CUT_STACKS_H

#include "common/util/array.h"
#include "report/resolve/resolve.h"

/* The name of the outermost frame of cut stacks. */
#define CUT_STACKS_NAME "[cut stacks]"

/*
 * .resolver is borrowed. With a zeroed .starts, nothing is known about
 * locations.
 */
struct cut_stacks {
	struct resolver *resolver;
	ARRAY(uint8_t) starts; /* of each location: see cut_stacks.c */
};

void cut_stacks_deinit(struct cut_stacks *cut);
/*
 * Returns whether programs or threads start at LOCATION, so that a stack that
 * ends there is complete. Fast: the answer for each location is kept.
 */
bool cut_stacks_start_at(struct cut_stacks *cut, uint32_t location);
/*
 * Returns whether the N locations FRAMES, a call chain with the innermost frame
 * first, need a change: *KEPT_RET is the number of inner frames that stay, and
 * *IS_CUT_RET is whether resolver_mark() of CUT_STACKS_NAME follows them.
 */
bool cut_stacks_find(struct cut_stacks *cut, const uint32_t *frames, size_t n,
	size_t *kept_ret, bool *is_cut_ret);

#endif
