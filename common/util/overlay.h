/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flattens a sequence of address ranges, in which each range replaces the parts
 * of earlier ranges that it overlaps. The result has no overlaps.
 */
#ifndef DWELL_COMMON_UTIL_OVERLAY_H
#define DWELL_COMMON_UTIL_OVERLAY_H

#include "common/util/array.h"

struct overlay_range {
	uint64_t start, end; /* [start, end), never empty */
	size_t number;	     /* unique; a later range has a higher number */
};

struct overlay {
	ARRAY(struct overlay_range) ranges;
};

/*
 * Replaces each range in RANGES with the parts that no later range overlaps,
 * and sorts RANGES by start. The number of ranges at most doubles.
 */
void overlay_flatten(struct overlay *ranges);
void overlay_free(struct overlay *ranges);

#endif
