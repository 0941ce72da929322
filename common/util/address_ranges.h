/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of address ranges, which may overlap. address_ranges_flatten() removes
 * the overlaps: each range replaces the overlapped parts of earlier ranges.
 */
#ifndef DWELL_COMMON_UTIL_ADDRESS_RANGES_H
#define DWELL_COMMON_UTIL_ADDRESS_RANGES_H

#include "common/util/array.h"

struct address_range {
	uint64_t start, end; /* [start, end), never empty */
	size_t number;	     /* a later range has a higher number; ranges of one
				number are united */
};

struct address_ranges {
	ARRAY(struct address_range) ranges;
};

/*
 * Replaces each range in RANGES with the parts that no later range overlaps,
 * unites parts of one number that touch or overlap, and sorts RANGES by start.
 * The number of ranges at most doubles.
 */
void address_ranges_flatten(struct address_ranges *ranges);
void address_ranges_free(struct address_ranges *ranges);

#endif
