/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/diff/diff_math.h"

#include <float.h>
#include <math.h>

/* With more samples than these the normal distribution is near enough. */
#define EXACT_MAX 10000.0
/* With more samples than these some difference always tells. */
#define FEW 60.0
/* What is as likely as the outcome but for rounding, as R has it. */
#define AS_LIKELY (1 + 1e-7)
#define NEGLIGIBLE 1e-18

/*
 * How the samples of a part are divided among two recordings by chance: drawn
 * without replacement from A and B (hypergeometric), or as if from endless
 * supplies of which A is a share of SHARE (binomial).
 */
struct chance {
	bool is_endless;
	double a, b;
	double share;
	double n; /* of both */
	double least, most; /* of A */
};

static double mean_period(const struct diff_part *part)
{
	if (part->samples > 0 && part->period > 0)
		return part->period / part->samples;
	return part->all_samples > 0 ? part->all_period / part->all_samples
				     : 0;
}

/* What wasn't sampled might have been, once. */
static double counted(const struct diff_part *part)
{
	return fmax(part->samples, 1);
}

double diff_math_share_error(const struct diff_part *part)
{
	double mean = mean_period(part), n = counted(part);
	double share, squares, others;

	if (!(part->all_period > 0))
		return 0;
	share = fmin(mean * n / part->all_period, 1);
	/* The part's samples are taken for alike. */
	squares = mean * mean * n;
	others = fmax(part->all_squares - squares, 0);
	return sqrt((1 - share) * (1 - share) * squares +
		       share * share * others) /
		part->all_period;
}

double diff_math_period_error(const struct diff_part *part)
{
	return mean_period(part) * sqrt(counted(part));
}

/* How much likelier X + 1 of A is than X. */
static double step(const struct chance *chance, double x)
{
	if (chance->is_endless)
		return (chance->n - x) / (x + 1) * chance->share /
			(1 - chance->share);
	return (chance->a - x) / (x + 1) * (chance->n - x) /
		(chance->b - chance->n + x + 1);
}

/* The likeliest. */
static double mode_of(const struct chance *chance)
{
	double mode = chance->is_endless
		? (chance->n + 1) * chance->share
		: (chance->n + 1) * (chance->a + 1) /
			(chance->a + chance->b + 2);

	return fmin(fmax(floor(mode), chance->least), chance->most);
}

/* How likely X is, MODE being 1. */
static double likelihood(const struct chance *chance, double mode, double x)
{
	double weight = 1;

	for (; mode < x && weight > 0; mode++)
		weight *= step(chance, mode);
	for (; mode > x && weight > 0; mode--)
		weight /= step(chance, mode - 1);
	return weight;
}

/* The sum of all that isn't likelier than LIMIT, by the sum of all. */
static double tails(const struct chance *chance, double mode, double limit)
{
	double least = NEGLIGIBLE * fmin(limit, 1);
	double all = 0, rare = 0, weight, x;

	for (x = mode, weight = 1; x <= chance->most && weight > least;
		weight *= step(chance, x), x++) {
		all += weight;
		rare += weight <= limit ? weight : 0;
	}
	for (x = mode, weight = 1; x > chance->least && weight > least; x--) {
		weight /= step(chance, x - 1);
		all += weight;
		rare += weight <= limit ? weight : 0;
	}
	return fmin(rare / all, 1);
}

static double p_of(const struct chance *chance, double x)
{
	double mode = mode_of(chance);

	return tails(chance, mode,
		likelihood(chance, mode, x) * AS_LIKELY);
}

static bool can_tell(const struct chance *chance)
{
	return chance->n > FEW ||
		p_of(chance, chance->least) <= DIFF_MATH_LEVEL ||
		p_of(chance, chance->most) <= DIFF_MATH_LEVEL;
}

/* The normal distribution's answer. */
static double p_of_many(const struct chance *chance, double x)
{
	double share = chance->is_endless
		? chance->share
		: chance->a / (chance->a + chance->b);
	double variance = chance->n * share * (1 - share);

	if (!chance->is_endless)
		variance *= (chance->a + chance->b - chance->n) /
			fmax(chance->a + chance->b - 1, 1);
	if (!(variance > 0))
		return 1;
	return erfc(fabs(x - chance->n * share) / sqrt(2 * variance));
}

static struct diff_doubt doubt(const struct chance *chance, double x)
{
	if (!(chance->n > 0))
		return (struct diff_doubt){ 1, false };
	if (chance->n > EXACT_MAX)
		return (struct diff_doubt){ p_of_many(chance, x), true };
	return (struct diff_doubt){ p_of(chance, x), can_tell(chance) };
}

/*
 * Mean periods of both parts. Where one has no samples, its would be the other's,
 * but for what periods in the recordings are.
 */
static void find_means(const struct diff_part *a, const struct diff_part *b,
	double *mean_a, double *mean_b)
{
	*mean_a = mean_period(a);
	*mean_b = mean_period(b);
	if (!(a->samples > 0) && b->all_period > 0)
		*mean_a *= *mean_b * b->all_samples / b->all_period;
	else if (!(b->samples > 0) && a->all_period > 0)
		*mean_b *= *mean_a * a->all_samples / a->all_period;
}

/* How many samples the whole would be, were all as the part's. */
static double wholly(double samples, double whole, double mean)
{
	return fmax(mean > 0 ? round(whole / mean) : 0, samples);
}

struct diff_doubt diff_math_doubt_shares(
	const struct diff_part *a, const struct diff_part *b)
{
	struct chance chance = { .n = a->samples + b->samples };
	double mean_a, mean_b;

	find_means(a, b, &mean_a, &mean_b);
	chance.a = wholly(a->samples, a->all_period, mean_a);
	chance.b = wholly(b->samples, b->all_period, mean_b);
	chance.least = fmax(chance.n - chance.b, 0);
	chance.most = fmin(chance.a, chance.n);
	return doubt(&chance, a->samples);
}

struct diff_doubt diff_math_doubt_periods(const struct diff_part *a,
	double scale_a, const struct diff_part *b, double scale_b)
{
	struct chance chance = { .is_endless = true,
		.n = a->samples + b->samples,
		.most = a->samples + b->samples };
	double mean_a, mean_b;

	find_means(a, b, &mean_a, &mean_b);
	if (!(mean_a > 0) || !(mean_b > 0))
		return (struct diff_doubt){ 1, false };
	chance.share = 1 / (1 + scale_b * mean_a / (scale_a * mean_b));
	chance.share = fmin(fmax(chance.share, NEGLIGIBLE), 1 - DBL_EPSILON);
	return doubt(&chance, a->samples);
}

static int compare(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return COMPARE(*left, *right);
}

double diff_math_limit(double *doubts, size_t n)
{
	double limit = 0;
	size_t i;

	if (n)
		qsort(doubts, n, sizeof(*doubts), compare);
	for (i = 0; i < n; i++)
		if (doubts[i] <=
			DIFF_MATH_LEVEL * (double)(i + 1) / (double)n)
			limit = doubts[i];
	return limit;
}
