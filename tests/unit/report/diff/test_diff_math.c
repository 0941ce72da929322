/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a difference is chance. Answers are those of textbooks and of R's
 * manual, or were counted out with fractions of whole numbers.
 */
#include "config.h"

#include "report/diff/diff_math.h"

#include <math.h>

#include "tests/unit/testing.h"

#define assert_near(value, wanted)                                             \
	({                                                                     \
		double found_value = (value), wanted_value = (wanted);         \
		if (!(fabs(found_value - wanted_value) <=                      \
			    1e-6 * fabs(wanted_value)))                        \
			fail_msg("%.12g is not %.12g", found_value,            \
				wanted_value);                                 \
	})

/* N of ALL samples, each of PERIOD. */
static struct diff_part part(double n, double all, double period)
{
	return (struct diff_part){ n, n * period, all, all * period,
		all * period * period };
}

static double p_of_shares(double n, double all, double n2, double all2)
{
	struct diff_part a = part(n, all, 10), b = part(n2, all2, 10);

	return diff_math_doubt_shares(&a, &b).p;
}

static void shares_are_compared_exactly(void **state _unused_)
{
	/* Fisher's tea; dieting men and women; R's convicted twins. */
	assert_near(p_of_shares(3, 4, 1, 4), 0.485714285714);
	assert_near(p_of_shares(1, 12, 9, 12), 0.00275945618522);
	assert_near(p_of_shares(2, 17, 10, 13), 0.000536724119143);
	/* What a profile has. */
	assert_near(p_of_shares(500, 5603, 700, 5861), 1.25402942068e-07);
	assert_near(p_of_shares(2500, 5000, 2600, 5000), 0.0476536135552);
	assert_near(p_of_shares(500, 1000, 700, 1000), 7.52766157087e-20);
	assert_near(p_of_shares(100, 1000, 100, 1000), 1);
}

static void what_one_side_lacks_is_compared_by_its_size(void **state _unused_)
{
	assert_near(p_of_shares(0, 100000, 6, 100000), 0.0312476562734);
	/* Three of a thousand are none of a hundred, but one of it is many. */
	assert_near(p_of_shares(0, 100, 30, 10000), 1);
	assert_near(p_of_shares(1, 100, 0, 10000), 0.00990099009901);
	assert_near(p_of_shares(0, 10000, 1, 100), 0.00990099009901);
}

/* With many samples the normal distribution answers: hardly anything else. */
static void many_samples_are_compared_nearly(void **state _unused_)
{
	double exact = p_of_shares(4900, 20000, 5090, 20000);
	double nearly = p_of_shares(4911, 20000, 5101, 20000);

	assert_true(exact > nearly * 0.95 && exact < nearly * 1.05);
	assert_near(p_of_shares(5e5, 1e6, 5e5, 1e6), 1);
	assert_true(p_of_shares(5e5, 1e6, 6e5, 1e6) < 1e-300);
}

static void periods_are_compared_exactly(void **state _unused_)
{
	struct diff_part a = part(11, 11, 1), b = part(21, 21, 1);
	struct diff_part c = part(11, 11, 1000), d = part(21, 21, 1000);

	/* R: poisson.test(c(11, 6 + 8 + 7), c(800, 1083 + 1050 + 878)) */
	assert_near(diff_math_doubt_periods(&a, 800, &b, 3011).p,
		0.0796686330333);
	assert_near(diff_math_doubt_periods(&b, 3011, &a, 800).p,
		0.0796686330333);
	/* Of samples, not of what they stand for. */
	assert_near(diff_math_doubt_periods(&c, 800, &d, 3011).p,
		0.0796686330333);
	/* Ten samples of 1000 are as much as a hundred of 100. */
	a = part(10, 10, 1000);
	b = part(100, 100, 100);
	assert_near(diff_math_doubt_periods(&a, 1, &b, 1).p, 1);
}

/* A recording with 10 times the frequency has samples of a tenth. */
static void frequencies_may_differ(void **state _unused_)
{
	struct diff_part a = part(100, 1000, 500), b = part(1000, 10000, 50);

	assert_near(diff_math_doubt_shares(&a, &b).p, 1);
	b = part(1500, 10000, 50);
	assert_near(diff_math_doubt_shares(&a, &b).p,
		p_of_shares(100, 1000, 1500, 10000));
}

/* A row of samples that stand for more than others' has fewer of them. */
static void rows_may_weigh_more_than_others(void **state _unused_)
{
	/* 10 samples of 100 each, and 9000 of 1: a tenth, of 10 samples. */
	struct diff_part a = { 10, 1000, 9010, 10000, 10 * 1e4 + 9000 };
	struct diff_part b = { 13, 1300, 9010, 10300, 13 * 1e4 + 8997 };

	assert_true(diff_math_doubt_shares(&a, &b).p > 0.4);
	assert_near(diff_math_share_error(&a),
		sqrt(0.9 * 0.9 * 1e5 + 0.1 * 0.1 * 9000) / 10000);
}

static void errors_are_those_of_samples(void **state _unused_)
{
	struct diff_part a = part(2000, 10000, 7), none = part(0, 10000, 7);

	/* sqrt(0.2 * 0.8 / 10000) */
	assert_near(diff_math_share_error(&a), 0.004);
	assert_near(diff_math_period_error(&a), 7 * sqrt(2000));
	/* What wasn't seen may have been there, once. */
	assert_near(diff_math_share_error(&none), sqrt(1e-4 * 0.9999 / 1e4));
	assert_near(diff_math_period_error(&none), 7);
	a = part(10000, 10000, 7);
	assert_true(diff_math_share_error(&a) < 1e-12);
}

static void few_samples_can_not_tell(void **state _unused_)
{
	struct diff_part a = part(0, 1000, 1), b = part(5, 1000, 1);

	assert_false(diff_math_doubt_shares(&a, &b).can_tell);
	b = part(6, 1000, 1);
	assert_true(diff_math_doubt_shares(&a, &b).can_tell);
	assert_false(diff_math_doubt_periods(&a, 1, &a, 1).can_tell);
	assert_near(diff_math_doubt_periods(&a, 1, &a, 1).p, 1);
}

/* What no recorder writes, but any file may say. */
static void odd_numbers_make_no_odd_answers(void **state _unused_)
{
	const double numbers[] = { 0, 1, 3, 1e4, 1e19 };
	const size_t n = ARRAY_SIZE(numbers), all = n * n * n * n;
	size_t i, j;

	for (i = 0; i < all; i++)
		for (j = 0; j < all; j++) {
			struct diff_part a = { numbers[i % n],
				numbers[i / n % n], numbers[i / n / n % n],
				numbers[i / n / n / n], 1e38 };
			struct diff_part b = { numbers[j % n],
				numbers[j / n % n], numbers[j / n / n % n],
				numbers[j / n / n / n], 0 };
			double p = diff_math_doubt_shares(&a, &b).p;
			double q = diff_math_doubt_periods(&a, 1e-9, &b, 1e9).p;

			assert_true(p >= 0 && p <= 1 && q >= 0 && q <= 1);
			assert_true(isfinite(diff_math_share_error(&a)));
			assert_true(isfinite(diff_math_period_error(&a)));
		}
}

/* The example of Benjamini and Hochberg (1995): four of fifteen. */
static void many_rows_have_a_limit_of_their_own(void **state _unused_)
{
	double doubts[] = { 0.0278, 0.0001, 0.3240, 0.0004, 0.0201, 0.0019,
		0.0298, 0.0344, 0.0459, 0.0095, 0.4262, 0.5719, 0.6528, 0.7590,
		1.0000 };

	assert_near(diff_math_limit(doubts, ARRAY_SIZE(doubts)), 0.0095);
	assert_near(diff_math_limit(doubts, 1), 0.0001);
	assert_true(diff_math_limit(doubts + 14, 1) == 0);
	assert_true(diff_math_limit(NULL, 0) == 0);
}

#define FUNCTIONS 100u
#define SAMPLES 4000u

static uint64_t draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state >> 33;
}

/* Function I has a share of about 1 by I + 1; CHANGED has half as much. */
static void record(uint64_t *state, size_t changed, double counts[FUNCTIONS])
{
	double weights[FUNCTIONS], sum = 0, at;
	size_t i, n;

	for (i = 0; i < FUNCTIONS; i++) {
		weights[i] = (i == changed ? 0.5 : 1) / (double)(i + 1);
		sum += weights[i];
		counts[i] = 0;
	}
	for (n = 0; n < SAMPLES; n++) {
		at = sum * (double)draw(state) / 0x1p31;
		for (i = 0; i + 1 < FUNCTIONS && at >= weights[i]; i++)
			at -= weights[i];
		counts[i]++;
	}
}

/* How many are believed; whether number 4 is among them. */
static size_t believed(const double a[FUNCTIONS], const double b[FUNCTIONS],
	bool *has_fourth)
{
	double p[FUNCTIONS], doubts[FUNCTIONS], limit;
	size_t i, n = 0, found = 0;

	for (i = 0; i < FUNCTIONS; i++) {
		struct diff_part old = part(a[i], SAMPLES, 1);
		struct diff_part new = part(b[i], SAMPLES, 1);
		struct diff_doubt doubt = diff_math_doubt_shares(&old, &new);

		p[i] = doubt.p;
		if (doubt.can_tell)
			doubts[n++] = doubt.p;
	}
	limit = diff_math_limit(doubts, n);
	for (i = 0; i < FUNCTIONS; i++)
		found += p[i] <= limit;
	*has_fourth = p[4] <= limit;
	return found;
}

/* 500 times two recordings of the same: 5 % may have a row that is believed. */
static void noise_is_noise_and_a_change_is_none(void **state _unused_)
{
	double a[FUNCTIONS], b[FUNCTIONS];
	uint64_t seed = 7;
	size_t i, wrong = 0, right = 0;
	bool has_fourth;

	for (i = 0; i < 500; i++) {
		record(&seed, FUNCTIONS, a);
		record(&seed, FUNCTIONS, b);
		wrong += believed(a, b, &has_fourth) > 0;
		record(&seed, 4, b);
		believed(a, b, &has_fourth);
		right += has_fourth;
	}
	if (wrong > 25 || right < 450)
		fail_msg("%zu wrong, %zu right", wrong, right);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_compared_exactly),
		cmocka_unit_test(what_one_side_lacks_is_compared_by_its_size),
		cmocka_unit_test(many_samples_are_compared_nearly),
		cmocka_unit_test(periods_are_compared_exactly),
		cmocka_unit_test(frequencies_may_differ),
		cmocka_unit_test(rows_may_weigh_more_than_others),
		cmocka_unit_test(errors_are_those_of_samples),
		cmocka_unit_test(few_samples_can_not_tell),
		cmocka_unit_test(odd_numbers_make_no_odd_answers),
		cmocka_unit_test(many_rows_have_a_limit_of_their_own),
		cmocka_unit_test(noise_is_noise_and_a_change_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
