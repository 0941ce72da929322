/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/sys/clocks.h"

static void clocks_have_the_names_and_numbers_of_perf(void **state _unused_)
{
	static const struct {
		const char *text;
		clockid_t clock;
	} good[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "MONO", CLOCK_MONOTONIC },
		{ "CLOCK_MONOTONIC", CLOCK_MONOTONIC },
		{ "clock_monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
		{ "0", CLOCK_REALTIME },
		{ "1", CLOCK_MONOTONIC },
		{ "4", CLOCK_MONOTONIC_RAW },
		{ "7", CLOCK_BOOTTIME },
		{ "11", CLOCK_TAI },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		clockid_t clock = -1;

		assert_no_error(clocks_parse(good[i].text, &clock));
		assert_int_equal(clock, good[i].clock);
	}
}

/* perf_event_open(2) accepts no other clocks. */
static void clocks_that_perf_event_open_refuses_are_rejected(
	void **state _unused_)
{
	static const char *const bad[] = { "", "2", "3", "-1", "12", "CLOCK_",
		"CLOCK_7", "thread", "monotonicraw", "tai " };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		clockid_t clock;
		struct error *err = clocks_parse(bad[i], &clock);

		if (!err)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(err->kind, ERROR_USAGE);
		error_free(err);
	}
}

static void clocks_now_reads_the_chosen_clock(void **state _unused_)
{
	struct timespec t;
	uint64_t before, now;

	assert_int_equal(clocks_chosen(), CLOCK_MONOTONIC);
	clocks_choose(CLOCK_REALTIME);
	clock_gettime(CLOCK_REALTIME, &t);
	before = (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
	now = clocks_now();
	assert_true(now >= before && now - before < 600 * NSEC_PER_SEC);
	clocks_choose(CLOCK_MONOTONIC);
	assert_true(clocks_now() < now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_have_the_names_and_numbers_of_perf),
		cmocka_unit_test(
			clocks_that_perf_event_open_refuses_are_rejected),
		cmocka_unit_test(clocks_now_reads_the_chosen_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
