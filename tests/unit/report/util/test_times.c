/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/times.h"

#include <inttypes.h>

#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

/* From 1 to 2 seconds, so that percentages are readable as digits. */
static const struct time_range second = { NSEC_PER_SEC, 2 * NSEC_PER_SEC };

static void assert_times(const char *text, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct time_ranges times;

	GARBAGE(times);
	assert_no_error(times_parse(text, &second, &times));
	array_each(&times.ranges, range)
		strbuf_printf(&found, "%" PRIu64 " %" PRIu64 "\n", range->first,
			range->last);
	assert_text(&found, wanted);
	times_deinit(&times);
}

static void time_ranges_in_seconds_are_parsed(void **state _unused_)
{
	assert_times("1.5,1.75", "1500000000 1750000000\n");
	assert_times("1,1.000000001", "1000000000 1000000001\n");
	assert_times("1.5,", "1500000000 18446744073709551615\n");
	assert_times(",1.5", "0 1500000000\n");
	assert_times("1,2 3,4",
		"1000000000 2000000000\n"
		"3000000000 4000000000\n");
}

/* As in perf, a range in percent ends one nanosecond before the next one. */
static void time_ranges_in_percent_are_parsed(void **state _unused_)
{
	assert_times("10%-20%", "1100000000 1199999999\n");
	assert_times("10%/2", "1100000000 1199999999\n");
	assert_times("10%", "1000000000 1099999999\n");
	assert_times("50%/2", "1500000000 2000000000\n");
	assert_times("12.5%-25%", "1125000000 1249999999\n");
	assert_times("10%/2,10%/4 0%-5%",
		"1000000000 1049999999\n"
		"1100000000 1199999999\n"
		"1300000000 1399999999\n");
}

/* The nearest double is 2^64, which no uint64_t holds. */
static void percent_ranges_reach_the_largest_time(void **state _unused_)
{
	const struct time_range all = { 0, UINT64_MAX };
	struct time_ranges times;

	assert_no_error(times_parse("0%-100%", &all, &times));
	assert_int_equal(times.ranges.n, 1);
	assert_true(times.ranges.at[0].first == 0);
	assert_true(times.ranges.at[0].last == UINT64_MAX);
	times_deinit(&times);
	assert_no_error(times_parse("100%-100%", &all, &times));
	assert_true(times.ranges.at[0].first == UINT64_MAX);
	times_deinit(&times);
}

static void time_ranges_may_overlap_and_come_in_any_order(void **state _unused_)
{
	assert_times("3,4 1,2 1.5,3.5", "1000000000 4000000000\n");
}

static void invalid_time_ranges_are_refused(void **state _unused_)
{
	static const char *const wrong[] = { "", " ", "5", "x", "1,x", "2,1",
		"-1,2", "1.0000000001,2", "1e3,2", "99999999999999,", "110%",
		"20%-10%", "10%/0", "10%/11", "10%/", "10%/x", "0%", "%",
		"10%x", "-10%", "1,2,3", "10%-20", "nan%", "inf%" };
	struct time_ranges times;
	struct error *err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		err = times_parse(wrong[i], &second, &times);
		if (!err)
			fail_msg("'%s' was taken", wrong[i]);
		assert_int_equal(err->kind, ERROR_USAGE);
		error_free(err);
	}
}

static void both_ends_of_a_time_range_belong_to_it(void **state _unused_)
{
	struct time_ranges times;

	assert_no_error(times_parse("1,2 4,5", &second, &times));
	assert_false(times_have(&times, NSEC_PER_SEC - 1));
	assert_true(times_have(&times, NSEC_PER_SEC));
	assert_true(times_have(&times, 2 * NSEC_PER_SEC));
	assert_false(times_have(&times, 2 * NSEC_PER_SEC + 1));
	assert_true(times_meet(&times, 0, NSEC_PER_SEC));
	assert_true(times_meet(&times, 0, UINT64_MAX));
	assert_false(
		times_meet(&times, 2 * NSEC_PER_SEC + 1, 4 * NSEC_PER_SEC - 1));
	times_deinit(&times);
}

static void without_time_ranges_all_times_are_selected(void **state _unused_)
{
	const struct time_ranges none = { 0 };

	assert_true(times_have(&none, 0));
	assert_true(times_have(&none, UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_ranges_in_seconds_are_parsed),
		cmocka_unit_test(time_ranges_in_percent_are_parsed),
		cmocka_unit_test(percent_ranges_reach_the_largest_time),
		cmocka_unit_test(time_ranges_may_overlap_and_come_in_any_order),
		cmocka_unit_test(invalid_time_ranges_are_refused),
		cmocka_unit_test(both_ends_of_a_time_range_belong_to_it),
		cmocka_unit_test(without_time_ranges_all_times_are_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
