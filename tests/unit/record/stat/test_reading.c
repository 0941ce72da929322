/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/reading.h"

#include "tests/unit/testing.h"

static void counts_of_shared_counters_are_scaled_by_their_time(void **state)
{
	struct reading half = { 500, 2000, 1000 }, all = { 500, 2000, 2000 };

	(void)state;
	assert_true(reading_estimate(&half) == 1000);
	assert_true(reading_estimate(&all) == 500);
}

static void large_counts_are_scaled_without_overflow(void **state)
{
	struct reading large = { UINT64_MAX / 2, UINT64_MAX / 2,
		UINT64_MAX / 8 };

	(void)state;
	assert_true(reading_estimate(&large) > 3.6e19);
	assert_true(reading_estimate(&large) < 3.7e19);
}

static void an_event_that_never_ran_is_not_counted(void **state)
{
	struct reading waiting = { 0, 2000, 0 };

	(void)state;
	assert_false(reading_is_counted(&waiting));
	assert_true(reading_estimate(&waiting) == 0);
}

/* Each CPU has its own share: the times are added, and then the count is
 * estimated. */
static void counts_of_several_cpus_are_added_before_scaling(void **state)
{
	struct reading sum = { 0 };
	const struct reading one = { 100, 1000, 1000 },
			     two = { 100, 1000, 500 };

	(void)state;
	reading_add(&sum, &one);
	reading_add(&sum, &two);
	assert_int_equal(sum.value, 200);
	assert_true(
		reading_estimate(&sum) > 266 && reading_estimate(&sum) < 267);
	sum.value = UINT64_MAX - 50;
	reading_add(&sum, &one);
	assert_true(sum.value == UINT64_MAX);
}

static void differences_of_readings_are_never_negative(void **state)
{
	const struct reading before = { 100, 1000, 900 },
			     now = { 130, 3000, 800 };
	struct reading since = reading_since(&now, &before);

	(void)state;
	assert_int_equal(since.value, 30);
	assert_int_equal(since.enabled, 2000);
	assert_int_equal(since.running, 0);
}

static void single_and_group_readings_of_the_kernel_are_parsed(void **state)
{
	const uint64_t single[] = { 7, 200, 100 };
	const uint64_t group[] = { 2, 200, 100, 7, 8 };
	struct reading reading = { 1, 1, 1 };

	(void)state;
	reading_take(single, 2, &reading);
	reading_take_member(group, 4, 1, &reading);
	reading_take_member(group, 5, 2, &reading);
	reading_take_member(group, 0, 0, &reading);
	assert_int_equal(reading.value, 1);
	reading_take(single, 3, &reading);
	assert_int_equal(reading.value, 7);
	assert_int_equal(reading.enabled, 200);
	assert_int_equal(reading.running, 100);
	reading_take_member(group, 5, 1, &reading);
	assert_int_equal(reading.value, 8);
	assert_int_equal(reading.running, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			counts_of_shared_counters_are_scaled_by_their_time),
		cmocka_unit_test(large_counts_are_scaled_without_overflow),
		cmocka_unit_test(an_event_that_never_ran_is_not_counted),
		cmocka_unit_test(
			counts_of_several_cpus_are_added_before_scaling),
		cmocka_unit_test(differences_of_readings_are_never_negative),
		cmocka_unit_test(
			single_and_group_readings_of_the_kernel_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
