/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <sys/resource.h>

#include "record/sys/fd_limits.h"

static void test_what_is_there_suffices(void **state)
{
	struct rlimit limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 32;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_no_error(limits_descriptors(16));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(limit.rlim_cur, limit.rlim_max);
}

static void test_more_than_any_process_may_have(void **state)
{
	struct error *err = limits_descriptors(UINT64_C(1) << 40);

	(void)state;
	assert_non_null(err);
	assert_non_null(strstr(err->text,
		"1099511627840 descriptors are needed, one per "
		"thread, CPU and event, and "));
	assert_non_null(strstr(err->text, "sysctl fs.nr_open=1099511627840"));
	error_free(err);
}

/* The last one: an ordinary user can't take it back. */
static void test_beyond_the_hard_limit(void **state)
{
	struct rlimit limit = { 200, 200 };
	struct error *err;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	err = limits_descriptors(500);
	if (!err) {
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(limit.rlim_max, 564);
		return;
	}
	assert_non_null(strstr(err->text, "564 descriptors are needed"));
	assert_non_null(strstr(err->text, "200 are allowed"));
	assert_non_null(strstr(err->text, "ulimit -Hn 564"));
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_there_suffices),
		cmocka_unit_test(test_more_than_any_process_may_have),
		cmocka_unit_test(test_beyond_the_hard_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
