/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How recordings are compared, and what of it is shown. */
#ifndef DWELL_REPORT_UTIL_DIFF_STYLE_H
#define DWELL_REPORT_UTIL_DIFF_STYLE_H

#include "report/util/filter.h"

/* What is shown of each row, and what rows are sorted by. */
enum diff_compute {
	DIFF_DELTA_ABS, /* the difference, sorted without its sign */
	DIFF_DELTA,
	DIFF_RATIO,
	DIFF_WDIFF, /* the difference of what was weighted before */
};

/* What of a row is compared with its like. */
enum diff_measure {
	DIFF_SHARE,  /* its percentage of the event in its recording */
	DIFF_PERIOD, /* its period as it is */
	DIFF_RATE,   /* its period in a second of the recording */
};

struct diff_style {
	enum diff_compute compute;
	enum diff_measure measure;
	uint64_t weights[2]; /* of the baseline, of the other; 1 or more */
	char *sort;     /* the keys, where -s adds to the usual ones; owned */
	uint64_t order; /* rows are sorted by this recording's change; 0: by
			 * what they are in the baseline */
	bool is_normalized; /* .measure was asked for */
	bool baseline_only; /* only rows that it and another have */
	struct name_list times; /* --time: one for all, or one for each */
	bool shows_period, shows_formula;
};

/* What is compared where that wasn't asked for: perf's choice. */
void diff_style_settle(struct diff_style *style);

/* As --compute has it: "delta-abs". False: it is no such name. */
const char *diff_compute_name(enum diff_compute compute);
bool diff_compute_find(const char *name, enum diff_compute *ret);

#endif
