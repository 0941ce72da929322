/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes tables of counts from the readings of counters. */
#ifndef DWELL_RECORD_STAT_COUNT_PLACES_H
#define DWELL_RECORD_STAT_COUNT_PLACES_H

#include "record/stat/count_table.h"
#include "record/stat/counters.h"

/* The places that have rows of their own; empty: a row is the sum of all. */
struct count_places {
	enum count_by by;
	ARRAY(struct count_place) list; /* sorted */
	ARRAY(size_t)
	of; /* the index in .list of each CPU or thread of the counters */
};

/*
 * Lists the places of BY: parts of the machine, read below ROOT (topology.h),
 * or the threads with their current names.
 */
void count_places_list(const struct counters *counters, const char *root,
	enum count_by by, struct count_places *ret);
void count_places_free(struct count_places *places);

/*
 * Adds the rows of all events of COUNTERS to RET, which is empty and borrows
 * PLACES and the events.
 */
void count_places_fill(const struct count_places *places,
	const struct counters *counters, struct count_table *ret);

#endif
