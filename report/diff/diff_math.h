/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a difference between two recordings may be chance: each sample is
 * taken for an independent draw. What differs from one run of a program to its
 * next by itself isn't known here. Numbers alone: of no file and no row.
 */
#ifndef DWELL_REPORT_DIFF_DIFF_MATH_H
#define DWELL_REPORT_DIFF_DIFF_MATH_H

#include "common/util/base.h"

/* A difference that chance makes less often is believed. */
#define DIFF_MATH_LEVEL 0.05
/* So many standard errors are half of an interval that 95 % of truths are in. */
#define DIFF_MATH_95 1.959964

/* A part of a recording, and the whole. */
struct diff_part {
	double samples, period;
	double all_samples, all_period;
	double all_squares; /* the sum of all samples' squared periods */
};

/* The standard error of the part's share, as a fraction of 1. */
double diff_math_share_error(const struct diff_part *part);
/* That of its period. */
double diff_math_period_error(const struct diff_part *part);

struct diff_doubt {
	double p;      /* how often chance alone makes at least such a difference */
	bool can_tell; /* whether any difference of so few samples could tell */
};
/* Whether the parts are the same share of their wholes. */
struct diff_doubt diff_math_doubt_shares(
	const struct diff_part *a, const struct diff_part *b);
/* Whether A's period by SCALE_A, above 0, is B's by SCALE_B. */
struct diff_doubt diff_math_doubt_periods(const struct diff_part *a,
	double scale_a, const struct diff_part *b, double scale_b);

/*
 * Many differences at once: the largest p of N that is believed, so that among
 * those believed at most DIFF_MATH_LEVEL are chance (Benjamini and Hochberg).
 * 0: none is. DOUBTS of those who can tell alone; they are sorted.
 */
double diff_math_limit(double *doubts, size_t n);

#endif
