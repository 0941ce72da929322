/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a comparison of recordings. */
#ifndef DWELL_REPORT_UTIL_DIFF_STYLE_H
#define DWELL_REPORT_UTIL_DIFF_STYLE_H

#include "common/util/completion.h"
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
	DIFF_SHARE,  /* percentage of the event's total in the recording */
	DIFF_PERIOD, /* period */
	DIFF_RATE,   /* period per second of the recording */
};

struct diff_style {
	enum diff_compute compute;
	enum diff_measure measure;
	uint64_t weights[2]; /* DIFF_WDIFF: weights of the baseline and of the
	                      * other recording, 1 or more */
	char *sort;	     /* sort keys, if -s adds keys to the default ones;
	                 * owned; else NULL */
	uint64_t order;	     /* number of the recording by whose change rows are
	                 * sorted; 0: by the value of rows in the baseline */
	bool has_compute;    /* .compute was set by an option */
	bool is_normalized; /* .measure does not depend on .compute: it was set by
	                         * an option, or chosen for the recordings */
	bool baseline_only; /* show only rows that are in the baseline and
	                         * in another recording */
	struct name_list
		times; /* --time: one range for all recordings, or one range per
		        * recording */
	bool shows_period, shows_formula;
};

/*
 * Sets .measure to perf's for .compute, unless .is_normalized.
 */
void diff_style_finish(struct diff_style *style);

/*
 * Convert between COMPUTE and its name for --compute, such as "delta-abs".
 * diff_compute_find() returns false if NAME is unknown.
 */
const char *diff_compute_name(enum diff_compute compute);
bool diff_compute_find(const char *name, enum diff_compute *ret);
COMPLETER(diff_compute_complete);

#endif
