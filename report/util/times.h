/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a recording's time, as --time names them: ranges of its clock, or
 * of its length in percent.
 */
#ifndef DWELL_REPORT_UTIL_TIMES_H
#define DWELL_REPORT_UTIL_TIMES_H

#include "common/util/array.h"
#include "common/util/error.h"

/* Nanoseconds of the recording's clock; both ends are in it. */
struct time_range {
	uint64_t first, last;
};

/* Ascending and apart from each other. None: all of time. */
struct time_ranges {
	ARRAY(struct time_range) ranges;
};

/*
 * Reads TEXT in perf's syntax (perf-report(1), --time): "START,STOP" in
 * seconds, either of them may be missing, several with blanks between; or
 * "10%/2", "10%-20%" and "10%", several with commas or blanks between.
 * WHOLE is what percentages are of: from the first sample to the last.
 */
struct error *times_parse(const char *text, const struct time_range *whole,
	struct time_ranges *ret) _must_check_;
void times_deinit(struct time_ranges *times);

/* Whether TIME is in one of TIMES. */
bool times_have(const struct time_ranges *times, uint64_t time);
/* Whether any time from FIRST to LAST is: a block outside needn't be read. */
bool times_meet(
	const struct time_ranges *times, uint64_t first, uint64_t last);

/* Nanoseconds of WHOLE that are in TIMES. */
uint64_t times_length(
	const struct time_ranges *times, const struct time_range *whole);

#endif
