/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of addresses that were told of one after the other, where each
 * replaces what it overlaps: what is left of them in the end.
 */
#ifndef DWELL_COMMON_UTIL_OVERLAY_H
#define DWELL_COMMON_UTIL_OVERLAY_H

#include "common/util/array.h"

struct overlay_range {
	uint64_t start, end; /* [start, end), never empty */
	size_t number;       /* later ones are higher; no two have the same */
};

struct overlay {
	ARRAY(struct overlay_range) ranges;
};

/*
 * Sorts RANGES by start, and replaces them with their parts that are left: at
 * most twice as many, by start, none overlaps another.
 */
void overlay(struct overlay *ranges);
void overlay_deinit(struct overlay *ranges);

#endif
