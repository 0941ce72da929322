/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/sys/schedule.h"

static void a_delay_enables_events_after_its_time(void **state _unused_)
{
	struct schedule schedule = { 0 };

	assert_no_error(schedule_parse("500", &schedule));
	assert_true(schedule.starts_off);
	assert_int_equal(schedule.steps.n, 1);
	assert_int_equal(schedule.steps.at[0].after_ns, 500000000);
	assert_true(schedule.steps.at[0].is_on);
	assert_false(schedule_ends(&schedule));
	schedule_deinit(&schedule);
}

static void a_delay_of_0_enables_events_at_once(void **state _unused_)
{
	struct schedule schedule = { 0 };

	assert_no_error(schedule_parse("0", &schedule));
	assert_false(schedule.starts_off);
	assert_int_equal(schedule.steps.n, 0);
	schedule_deinit(&schedule);
}

static void a_delay_of_minus_1_waits_for_the_command_enable(
	void **state _unused_)
{
	struct schedule schedule = { 0 };

	assert_no_error(schedule_parse("-1", &schedule));
	assert_true(schedule.starts_off);
	assert_int_equal(schedule.steps.n, 0);
	assert_false(schedule_ends(&schedule));
	schedule_deinit(&schedule);
}

static void time_ranges_enable_and_disable_events_and_end(void **state _unused_)
{
	static const uint64_t ms[] = { 10, 20, 30, 4000000 };
	struct schedule schedule = { 0 };
	size_t i;

	assert_no_error(schedule_parse("10-20,30-4000000", &schedule));
	assert_true(schedule.starts_off);
	assert_int_equal(schedule.steps.n, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(
			schedule.steps.at[i].after_ns, ms[i] * NSEC_PER_MSEC);
		assert_int_equal(schedule.steps.at[i].is_on, i % 2 == 0);
	}
	assert_true(schedule_ends(&schedule));
	schedule_deinit(&schedule);
	assert_no_error(schedule_parse("0-5", &schedule));
	assert_int_equal(schedule.steps.n, 2);
	schedule_deinit(&schedule);
}

static void invalid_delays_and_ranges_are_rejected(void **state _unused_)
{
	static const char *const bad[] = { "", "x", "1.5", "-2", "-", "10-",
		"-10", "5,6", "10-5", "10-10", "10-20,15-30", "10-20,20-30",
		"10-20,", "10-20-30", "4294967296" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct schedule schedule = { 0 };
		struct error *err = schedule_parse(bad[i], &schedule);

		if (!err)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(err->kind, ERROR_USAGE);
		assert_non_null(strstr(err->text, "-D: "));
		error_free(err);
		schedule_deinit(&schedule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_delay_enables_events_after_its_time),
		cmocka_unit_test(a_delay_of_0_enables_events_at_once),
		cmocka_unit_test(
			a_delay_of_minus_1_waits_for_the_command_enable),
		cmocka_unit_test(time_ranges_enable_and_disable_events_and_end),
		cmocka_unit_test(invalid_delays_and_ranges_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
