/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a recording's time that --time selects: ranges of its clock, or
 * percentages of its length.
 */
#ifndef DWELL_REPORT_UTIL_TIMES_H
#define DWELL_REPORT_UTIL_TIMES_H

#include "common/util/array.h"
#include "common/util/error.h"

/* Nanoseconds of the recording's clock, both included. */
struct time_range {
	uint64_t first, last;
};

/* Ascending and disjoint time ranges. An empty list means all times. */
struct time_ranges {
	ARRAY(struct time_range) ranges;
};

/*
 * Parses TEXT in perf's syntax (perf-report(1), --time): "START,STOP" in
 * seconds, either of which may be missing, several separated by blanks; or
 * "10%/2", "10%-20%" and "10%", several separated by commas or blanks.
 * Percentages refer to WHOLE, from the first sample to the last.
 */
struct error *times_parse(const char *text, const struct time_range *whole,
	struct time_ranges *ret) _must_check_;
void times_deinit(struct time_ranges *times);

/* Returns whether TIME is in a range of TIMES. */
bool times_have(const struct time_ranges *times, uint64_t time);
/*
 * Returns whether a time from FIRST to LAST is in TIMES. Blocks of a recording
 * for which this is false are not read.
 */
bool times_meet(const struct time_ranges *times, uint64_t first, uint64_t last);

/*
 * Sets RET to the next part of WHOLE that is in TIMES. *NEXT is 0 before the
 * first call for WHOLE. Returns false if no part is left. Only a WHOLE without
 * a length has a part without a length.
 */
bool times_cut(const struct time_ranges *times, size_t *next,
	const struct time_range *whole, struct time_range *ret);

/* Returns the nanoseconds of WHOLE that are in TIMES. */
uint64_t times_length(
	const struct time_ranges *times, const struct time_range *whole);

#endif
