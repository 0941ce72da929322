/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The significance tests. Expected values are from textbooks or R's manual, or
 * were computed with exact fractions.
 */
#include "config.h"

#include "report/diff/diff_math.h"

#include <math.h>

#include "tests/unit/testing.h"

#define assert_near(value, wanted)                                     \
	({                                                             \
		double found_value = (value), wanted_value = (wanted); \
		if (!(fabs(found_value - wanted_value) <=              \
			    1e-6 * fabs(wanted_value)))                \
			fail_msg("%.12g is not %.12g", found_value,    \
				wanted_value);                         \
	})

/* A part of N samples, of ALL in the recording, each with PERIOD. */
static struct diff_part part(double n, double all, double period)
{
	return (struct diff_part){ n, n * period, all, all * period,
		all * period * period };
}

static double p_of_shares(double n, double all, double n2, double all2)
{
	struct diff_part a = part(n, all, 10), b = part(n2, all2, 10);

	return diff_math_test_shares(&a, &b).p;
}

static void shares_are_compared_by_fishers_exact_test(void **state _unused_)
{
	/* Examples: Fisher's tea; dieting men and women; R's convicted twins.
	 */
	assert_near(p_of_shares(3, 4, 1, 4), 0.485714285714);
	assert_near(p_of_shares(1, 12, 9, 12), 0.00275945618522);
	assert_near(p_of_shares(2, 17, 10, 13), 0.000536724119143);
	/* Numbers of a typical profile. */
	assert_near(p_of_shares(500, 5603, 700, 5861), 1.25402942068e-07);
	assert_near(p_of_shares(2500, 5000, 2600, 5000), 0.0476536135552);
	assert_near(p_of_shares(500, 1000, 700, 1000), 7.52766157087e-20);
	assert_near(p_of_shares(100, 1000, 100, 1000), 1);
}

static void a_share_of_0_counts_by_the_size_of_its_recording(
	void **state _unused_)
{
	assert_near(p_of_shares(0, 100000, 6, 100000), 0.0312476562734);
	/*
	 * 0 of 100 samples agrees with 0.3%; 1 of 100 does not agree with 0 of
	 * 10,000.
	 */
	assert_near(p_of_shares(0, 100, 30, 10000), 1);
	assert_near(p_of_shares(1, 100, 0, 10000), 0.00990099009901);
	assert_near(p_of_shares(0, 10000, 1, 100), 0.00990099009901);
}

/* With many samples, the normal distribution is a close approximation. */
static void shares_of_many_samples_use_the_normal_distribution(
	void **state _unused_)
{
	double exact = p_of_shares(4900, 20000, 5090, 20000);
	double nearly = p_of_shares(4911, 20000, 5101, 20000);

	assert_true(exact > nearly * 0.95 && exact < nearly * 1.05);
	assert_near(p_of_shares(5e5, 1e6, 5e5, 1e6), 1);
	assert_true(p_of_shares(5e5, 1e6, 6e5, 1e6) < 1e-300);
}

static void periods_are_compared_by_the_exact_poisson_test(
	void **state _unused_)
{
	struct diff_part a = part(11, 11, 1), b = part(21, 21, 1);
	struct diff_part c = part(11, 11, 1000), d = part(21, 21, 1000);

	/* R: poisson.test(c(11, 6 + 8 + 7), c(800, 1083 + 1050 + 878)) */
	assert_near(
		diff_math_test_periods(&a, 800, &b, 3011).p, 0.0796686330333);
	assert_near(
		diff_math_test_periods(&b, 3011, &a, 800).p, 0.0796686330333);
	/* Only the number of samples counts, not their equal period. */
	assert_near(
		diff_math_test_periods(&c, 800, &d, 3011).p, 0.0796686330333);
	/* 10 samples of period 1000 equal 100 samples of period 100. */
	a = part(10, 10, 1000);
	b = part(100, 100, 100);
	assert_near(diff_math_test_periods(&a, 1, &b, 1).p, 1);
}

/* With 10 times the frequency, each sample has a tenth of the period. */
static void recordings_of_different_frequencies_can_be_compared(
	void **state _unused_)
{
	struct diff_part a = part(100, 1000, 500), b = part(1000, 10000, 50);

	assert_near(diff_math_test_shares(&a, &b).p, 1);
	b = part(1500, 10000, 50);
	assert_near(diff_math_test_shares(&a, &b).p,
		p_of_shares(100, 1000, 1500, 10000));
}

/* Samples of a row can have larger periods than others. */
static void a_row_whose_samples_have_larger_periods_has_a_larger_error(
	void **state _unused_)
{
	/* 10 samples of period 100 and 9,000 of period 1: a share of 10%. */
	struct diff_part a = { 10, 1000, 9010, 10000, 10 * 1e4 + 9000 };
	struct diff_part b = { 13, 1300, 9010, 10300, 13 * 1e4 + 8997 };

	assert_true(diff_math_test_shares(&a, &b).p > 0.4);
	assert_near(diff_math_share_error(&a),
		sqrt(0.9 * 0.9 * 1e5 + 0.1 * 0.1 * 9000) / 10000);
}

static void standard_errors_depend_on_the_number_of_samples(
	void **state _unused_)
{
	struct diff_part a = part(2000, 10000, 7), none = part(0, 10000, 7);

	/* sqrt(0.2 * 0.8 / 10000) */
	assert_near(diff_math_share_error(&a), 0.004);
	assert_near(diff_math_period_error(&a), 7 * sqrt(2000));
	/* No samples count as one sample that was missed by chance. */
	assert_near(diff_math_share_error(&none), sqrt(1e-4 * 0.9999 / 1e4));
	assert_near(diff_math_period_error(&none), 7);
	a = part(10000, 10000, 7);
	assert_true(diff_math_share_error(&a) < 1e-12);
}

static void a_difference_of_too_few_samples_cannot_be_significant(
	void **state _unused_)
{
	struct diff_part a = part(0, 1000, 1), b = part(5, 1000, 1);

	assert_false(diff_math_test_shares(&a, &b).can_be_significant);
	b = part(6, 1000, 1);
	assert_true(diff_math_test_shares(&a, &b).can_be_significant);
	assert_false(diff_math_test_periods(&a, 1, &a, 1).can_be_significant);
	assert_near(diff_math_test_periods(&a, 1, &a, 1).p, 1);
}

/* No recorder writes these numbers, but a file can contain them. */
static void any_numbers_of_a_file_give_valid_probabilities(
	void **state _unused_)
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
			double p = diff_math_test_shares(&a, &b).p;
			double q = diff_math_test_periods(&a, 1e-9, &b, 1e9).p;

			assert_true(p >= 0 && p <= 1 && q >= 0 && q <= 1);
			assert_true(isfinite(diff_math_share_error(&a)));
			assert_true(isfinite(diff_math_period_error(&a)));
		}
}

/* The example of Benjamini and Hochberg (1995): 4 of 15 are significant. */
static void the_significance_limit_depends_on_the_number_of_rows(
	void **state _unused_)
{
	double p_values[] = { 0.0278, 0.0001, 0.3240, 0.0004, 0.0201, 0.0019,
		0.0298, 0.0344, 0.0459, 0.0095, 0.4262, 0.5719, 0.6528, 0.7590,
		1.0000 };

	assert_near(diff_math_limit(p_values, ARRAY_SIZE(p_values)), 0.0095);
	assert_near(diff_math_limit(p_values, 1), 0.0001);
	assert_true(diff_math_limit(p_values + 14, 1) == 0);
	assert_true(diff_math_limit(NULL, 0) == 0);
}

#define FUNCTIONS 100u
#define SAMPLES 4000u

static uint64_t draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state >> 33;
}

/* The share of function I is about 1 / (I + 1), or half of that for CHANGED. */
static void draw_samples(
	uint64_t *state, size_t changed, double counts[FUNCTIONS])
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

/*
 * Returns the number of significant differences. *HAS_FOURTH: function number 4
 * is one of them.
 */
static size_t count_significant(
	const double a[FUNCTIONS], const double b[FUNCTIONS], bool *has_fourth)
{
	double p[FUNCTIONS], p_values[FUNCTIONS], limit;
	size_t i, n = 0, found = 0;

	for (i = 0; i < FUNCTIONS; i++) {
		struct diff_part old = part(a[i], SAMPLES, 1);
		struct diff_part new = part(b[i], SAMPLES, 1);
		struct diff_test test = diff_math_test_shares(&old, &new);

		p[i] = test.p;
		if (test.can_be_significant)
			p_values[n++] = test.p;
	}
	limit = diff_math_limit(p_values, n);
	for (i = 0; i < FUNCTIONS; i++)
		found += p[i] <= limit;
	*has_fourth = p[4] <= limit;
	return found;
}

/*
 * Two recordings of the same program, 500 times: at most 5% of the pairs can
 * have a significant row.
 */
static void noise_is_not_significant_but_a_change_is(void **state _unused_)
{
	double a[FUNCTIONS], b[FUNCTIONS];
	uint64_t seed = 7;
	size_t i, wrong = 0, right = 0;
	bool has_fourth;

	for (i = 0; i < 500; i++) {
		draw_samples(&seed, FUNCTIONS, a);
		draw_samples(&seed, FUNCTIONS, b);
		wrong += count_significant(a, b, &has_fourth) > 0;
		draw_samples(&seed, 4, b);
		count_significant(a, b, &has_fourth);
		right += has_fourth;
	}
	if (wrong > 25 || right < 450)
		fail_msg("%zu wrong, %zu right", wrong, right);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_compared_by_fishers_exact_test),
		cmocka_unit_test(
			a_share_of_0_counts_by_the_size_of_its_recording),
		cmocka_unit_test(
			shares_of_many_samples_use_the_normal_distribution),
		cmocka_unit_test(
			periods_are_compared_by_the_exact_poisson_test),
		cmocka_unit_test(
			recordings_of_different_frequencies_can_be_compared),
		cmocka_unit_test(
			a_row_whose_samples_have_larger_periods_has_a_larger_error),
		cmocka_unit_test(
			standard_errors_depend_on_the_number_of_samples),
		cmocka_unit_test(
			a_difference_of_too_few_samples_cannot_be_significant),
		cmocka_unit_test(
			any_numbers_of_a_file_give_valid_probabilities),
		cmocka_unit_test(
			the_significance_limit_depends_on_the_number_of_rows),
		cmocka_unit_test(noise_is_not_significant_but_a_change_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
