/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/diff/diff_math.h"

#include <float.h>
#include <math.h>

/*
 * Above this number of samples, p-values are computed with the normal
 * distribution.
 */
#define EXACT_MAX 10000.0
/*
 * Above this number of samples in both parts, the largest possible difference
 * is always significant.
 */
#define FEW_SAMPLES 60.0
/* Tolerance for rounding errors when probabilities are compared, as in R. */
#define AS_PROBABLE (1 + 1e-7)
#define NEGLIGIBLE 1e-18

/*
 * The distribution by chance of the samples of a part (struct diff_part) to two
 * recordings, A and B. Samples are drawn without replacement from A and B
 * (hypergeometric); or, if .is_endless, each sample is in A with probability
 * .share (binomial).
 */
struct chance {
	bool is_endless;
	double a, b;
	double share;
	double n;	    /* samples of the part in both recordings */
	double least, most; /* smallest and largest possible number of samples
			       of the part in A */
};

static double mean_period(const struct diff_part *part)
{
	if (part->samples > 0 && part->period > 0)
		return part->period / part->samples;
	return part->all_samples > 0 ? part->all_period / part->all_samples : 0;
}

/*
 * Returns the number of samples of PART, at least 1: a part without samples can
 * have missed a sample by chance.
 */
static double counted_samples(const struct diff_part *part)
{
	return fmax(part->samples, 1);
}

double diff_math_share_error(const struct diff_part *part)
{
	double mean = mean_period(part), n = counted_samples(part);
	double share, squares, others;

	if (!(part->all_period > 0))
		return 0;
	share = fmin(mean * n / part->all_period, 1);
	/* The samples of the part are assumed to have equal periods. */
	squares = mean * mean * n;
	others = fmax(part->all_squares - squares, 0);
	return sqrt((1 - share) * (1 - share) * squares +
		       share * share * others) /
		part->all_period;
}

double diff_math_period_error(const struct diff_part *part)
{
	return mean_period(part) * sqrt(counted_samples(part));
}

/*
 * Returns the probability of X + 1 samples in A divided by the probability of X
 * samples in A.
 */
static double probability_ratio(const struct chance *chance, double x)
{
	if (chance->is_endless)
		return (chance->n - x) / (x + 1) * chance->share /
			(1 - chance->share);
	return (chance->a - x) / (x + 1) * (chance->n - x) /
		(chance->b - chance->n + x + 1);
}

/*
 * Returns the probability of all numbers of samples in A that are at most as
 * probable as X.
 */
static double exact_p_value(const struct chance *chance, double x)
{
	double mode = chance->is_endless ? (chance->n + 1) * chance->share
					 : (chance->n + 1) * (chance->a + 1) /
			(chance->a + chance->b + 2);
	double limit = 1, all = 0, rare = 0, weight, least, at;

	/* The most probable number; weights are relative to its probability. */
	mode = fmin(fmax(floor(mode), chance->least), chance->most);
	for (at = mode; at < x && limit > 0; at++)
		limit *= probability_ratio(chance, at);
	for (; at > x && limit > 0; at--)
		limit /= probability_ratio(chance, at - 1);
	limit *= AS_PROBABLE;
	least = NEGLIGIBLE * fmin(limit, 1);
	for (at = mode, weight = 1; at <= chance->most && weight > least;
		weight *= probability_ratio(chance, at), at++) {
		all += weight;
		rare += weight <= limit ? weight : 0;
	}
	for (at = mode, weight = 1; at > chance->least && weight > least;
		at--) {
		weight /= probability_ratio(chance, at - 1);
		all += weight;
		rare += weight <= limit ? weight : 0;
	}
	return fmin(rare / all, 1);
}

static struct diff_test test_chance(const struct chance *chance, double x)
{
	if (!(chance->n > 0))
		return (struct diff_test){ 1, false };
	if (chance->n > EXACT_MAX) {
		/* by the normal distribution */
		double share = chance->is_endless
			? chance->share
			: chance->a / (chance->a + chance->b);
		double variance = chance->n * share * (1 - share), p = 1;

		if (!chance->is_endless)
			variance *= (chance->a + chance->b - chance->n) /
				fmax(chance->a + chance->b - 1, 1);
		if (variance > 0)
			p = erfc(fabs(x - chance->n * share) /
				sqrt(2 * variance));
		return (struct diff_test){ p, true };
	}
	return (struct diff_test){ exact_p_value(chance, x),
		chance->n > FEW_SAMPLES ||
			exact_p_value(chance, chance->least) <=
				DIFF_MATH_LEVEL ||
			exact_p_value(chance, chance->most) <=
				DIFF_MATH_LEVEL };
}

/*
 * Sets MEAN_A and MEAN_B to the mean periods of A and B. The mean period of a
 * part without samples is the mean period of the other part, scaled by the mean
 * periods of the two recordings.
 */
static void find_mean_periods(const struct diff_part *a,
	const struct diff_part *b, double *mean_a, double *mean_b)
{
	*mean_a = mean_period(a);
	*mean_b = mean_period(b);
	if (!(a->samples > 0) && b->all_period > 0)
		*mean_a *= *mean_b * b->all_samples / b->all_period;
	else if (!(b->samples > 0) && a->all_period > 0)
		*mean_b *= *mean_a * a->all_samples / a->all_period;
}

/*
 * Returns the number of samples in the period WHOLE if each sample had the
 * period MEAN; at least SAMPLES.
 */
static double equivalent_samples(double samples, double whole, double mean)
{
	return fmax(mean > 0 ? round(whole / mean) : 0, samples);
}

struct diff_test diff_math_test_shares(
	const struct diff_part *a, const struct diff_part *b)
{
	struct chance chance = { .n = a->samples + b->samples };
	double mean_a, mean_b;

	find_mean_periods(a, b, &mean_a, &mean_b);
	chance.a = equivalent_samples(a->samples, a->all_period, mean_a);
	chance.b = equivalent_samples(b->samples, b->all_period, mean_b);
	chance.least = fmax(chance.n - chance.b, 0);
	chance.most = fmin(chance.a, chance.n);
	return test_chance(&chance, a->samples);
}

struct diff_test diff_math_test_periods(const struct diff_part *a,
	double scale_a, const struct diff_part *b, double scale_b)
{
	struct chance chance = { .is_endless = true,
		.n = a->samples + b->samples,
		.most = a->samples + b->samples };
	double mean_a, mean_b;

	find_mean_periods(a, b, &mean_a, &mean_b);
	if (!(mean_a > 0) || !(mean_b > 0))
		return (struct diff_test){ 1, false };
	chance.share = 1 / (1 + scale_b * mean_a / (scale_a * mean_b));
	chance.share = fmin(fmax(chance.share, NEGLIGIBLE), 1 - DBL_EPSILON);
	return test_chance(&chance, a->samples);
}

static int compare_p_values(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return COMPARE(*left, *right);
}

double diff_math_limit(double *p_values, size_t n)
{
	double limit = 0;
	size_t i;

	if (n)
		qsort(p_values, n, sizeof(*p_values), compare_p_values);
	for (i = 0; i < n; i++)
		if (p_values[i] <=
			DIFF_MATH_LEVEL * (double)(i + 1) / (double)n)
			limit = p_values[i];
	return limit;
}
