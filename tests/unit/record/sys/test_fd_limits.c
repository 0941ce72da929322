/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <sys/resource.h>

#include "record/sys/fd_limits.h"

static void the_soft_limit_of_descriptors_is_raised_to_the_hard_limit(
	void **state)
{
	struct rlimit limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 32;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_no_error(fd_limits_raise(16));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(limit.rlim_cur, limit.rlim_max);
}

static void a_need_above_the_system_limit_is_an_error_with_a_remedy(
	void **state)
{
	struct error *err = fd_limits_raise(UINT64_C(1) << 40);

	(void)state;
	assert_non_null(err);
	assert_non_null(strstr(err->text,
		"1099511627840 file descriptors are needed, one per thread, "
		"CPU and event, and the limit is "));
	assert_non_null(strstr(err->text, "sysctl fs.nr_open=1099511627840"));
	error_free(err);
}

/* This is the last test: an ordinary user cannot raise the limit again. */
static void a_need_above_the_hard_limit_raises_it_or_is_an_error(void **state)
{
	struct rlimit limit = { 200, 200 };
	struct error *err;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	err = fd_limits_raise(500);
	if (!err) {
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(limit.rlim_max, 564);
		return;
	}
	assert_non_null(strstr(err->text, "564 file descriptors are needed"));
	assert_non_null(strstr(err->text, "200"));
	assert_non_null(strstr(err->text, "ulimit -Hn 564"));
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_soft_limit_of_descriptors_is_raised_to_the_hard_limit),
		cmocka_unit_test(
			a_need_above_the_system_limit_is_an_error_with_a_remedy),
		cmocka_unit_test(
			a_need_above_the_hard_limit_raises_it_or_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
