/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/error.h"

#include <errno.h>

#include "tests/unit/testing.h"

static void error_new_formats_its_text(void **state _unused_)
{
	_cleanup_error_ struct error *err = error_new("%s: %d", "number", 7);

	assert_string_equal(err->text, "number: 7");
	assert_int_equal(err->kind, ERROR_FAILED);
	assert_int_equal(err->errnum, 0);
}

static void error_usage_has_the_kind_of_usage_errors(void **state _unused_)
{
	_cleanup_error_ struct error *err = error_usage("no such option");

	assert_string_equal(err->text, "no such option");
	assert_int_equal(err->kind, ERROR_USAGE);
}

static void error_errno_keeps_and_describes_the_errno(void **state _unused_)
{
	_cleanup_error_ struct error *err =
		error_errno(ENOENT, "opening %s", "x");

	assert_string_equal(err->text, "opening x: No such file or directory");
	assert_int_equal(err->errnum, ENOENT);
	assert_int_equal(err->kind, ERROR_FAILED);
}

static void error_wrap_prepends_text_and_keeps_kind_and_errno(
	void **state _unused_)
{
	_cleanup_error_ struct error *err = error_usage("is not a number");

	err->errnum = EINVAL;
	err = error_wrap(err, "-F '%s'", "abc");
	err = error_wrap(err, "dwell record");
	assert_string_equal(
		err->text, "dwell record: -F 'abc': is not a number");
	assert_int_equal(err->kind, ERROR_USAGE);
	assert_int_equal(err->errnum, EINVAL);
}

static void error_hint_appends_the_hint(void **state _unused_)
{
	_cleanup_error_ struct error *err = error_new("no such file");

	err = error_hint(err, "record one with '%s'", "dwell record");
	assert_string_equal(
		err->text, "no such file; record one with 'dwell record'");
}

static void wrapping_no_error_returns_null(void **state _unused_)
{
	assert_null(error_wrap(NULL, "opening %s", "x"));
	assert_null(error_hint(NULL, "try again"));
	error_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_new_formats_its_text),
		cmocka_unit_test(error_usage_has_the_kind_of_usage_errors),
		cmocka_unit_test(error_errno_keeps_and_describes_the_errno),
		cmocka_unit_test(
			error_wrap_prepends_text_and_keeps_kind_and_errno),
		cmocka_unit_test(error_hint_appends_the_hint),
		cmocka_unit_test(wrapping_no_error_returns_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
