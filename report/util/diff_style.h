/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a comparison of recordings. */
#ifndef DWELL_REPORT_UTIL_DIFF_STYLE_H
#define DWELL_REPORT_UTIL_DIFF_STYLE_H

#include "report/util/filter.h"

/* The value that is shown for each row, and sorted by. */
enum diff_compute {
	DIFF_DELTA_ABS, /* the difference, sorted without its sign */
	DIFF_DELTA,
	DIFF_RATIO,
	DIFF_WDIFF, /* the difference of weighted periods */
};

/* The measure of a row that is compared. */
enum diff_measure {
	DIFF_SHARE,  /* percentage of the event in the recording */
	DIFF_PERIOD, /* period */
	DIFF_RATE,   /* period per second of the recording */
};

struct diff_style {
	enum diff_compute compute;
	enum diff_measure measure;
	uint64_t weights[2]; /* of the baseline and the other; 1 or more */
	char *sort;     /* the keys, if -s adds to the default ones; owned */
	uint64_t order; /* rows are sorted by the change of this recording; 0:
	                 * by their value in the baseline */
	bool is_normalized;     /* .measure was set by an option */
	bool baseline_only;     /* only rows of the baseline and another */
	struct name_list
		times; /* --time: one range for all, or one per recording */
	bool shows_period, shows_formula;
};

/* Sets the default measure of .compute, as in perf, if no option set one. */
void diff_style_finish(struct diff_style *style);

/* As in --compute: "delta-abs". The second returns false for unknown names. */
const char *diff_compute_name(enum diff_compute compute);
bool diff_compute_find(const char *name, enum diff_compute *ret);

#endif
