/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Significance tests for differences between two recordings. Samples are
 * assumed to be independent; the variation between runs of a program is not
 * considered. Inputs and outputs are numbers only.
 */
#ifndef DWELL_REPORT_DIFF_DIFF_MATH_H
#define DWELL_REPORT_DIFF_DIFF_MATH_H

#include "common/util/base.h"

/* The significance level, and the limit of the false discovery rate. */
#define DIFF_MATH_LEVEL 0.05
/* Half the width of a 95 % confidence interval, in standard errors. */
#define DIFF_MATH_95 1.959964

/*
 * The samples of a part of a recording, for example of a row, and of the whole
 * recording (all_*).
 */
struct diff_part {
	double samples, period;
	double all_samples, all_period;
	double all_squares; /* sum of the squared periods of all samples */
};

/*
 * Returns the standard error of PART's share of the recording, as a fraction of
 * 1.
 */
double diff_math_share_error(const struct diff_part *part);
/* Returns the standard error of PART's period. */
double diff_math_period_error(const struct diff_part *part);

struct diff_test {
	double p; /* p-value: probability of a difference this large or larger
		     by chance */
	/*
	 * False: both parts have too few samples for any significant
	 * difference.
	 */
	bool can_be_significant;
};
/* Tests whether the parts A and B have the same share of their recordings. */
struct diff_test diff_math_test_shares(
	const struct diff_part *a, const struct diff_part *b);
/*
 * Tests whether A's period / SCALE_A equals B's period / SCALE_B. Scales are
 * above 0.
 */
struct diff_test diff_math_test_periods(const struct diff_part *a,
	double scale_a, const struct diff_part *b, double scale_b);

/*
 * Returns the largest significant p-value of the N P_VALUES, or 0 if no p-value
 * is significant. Of the significant p-values, at most the fraction
 * DIFF_MATH_LEVEL is due to chance on average (Benjamini and Hochberg).
 * P_VALUES are from tests with .can_be_significant; this function sorts the
 * array.
 */
double diff_math_limit(double *p_values, size_t n);

#endif
