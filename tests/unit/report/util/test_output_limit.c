/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/output.h"

#include <errno.h>

#include "tests/unit/testing.h"

static void without_a_limit_output_of_any_size_is_accepted(
	void **state _unused_)
{
	output_limit_begin(0);
	assert_true(output_limit_take(UINT64_MAX / 2));
	assert_true(output_limit_take(UINT64_MAX / 4));
	assert_null(output_limit_error("x"));
}

static void output_beyond_the_limit_is_refused(void **state _unused_)
{
	_cleanup_error_ struct error *err = NULL;

	output_limit_begin(1000);
	assert_true(output_limit_take(600));
	assert_true(output_limit_has_room(400));
	assert_true(output_limit_take(400));
	assert_null(output_limit_error(NULL));
	assert_false(output_limit_take(1));
	err = output_limit_error(NULL);
	assert_string_equal(err->text,
		"standard output is incomplete: the output exceeds 1000 bytes, "
		"the limit of --max-output; use --max-output SIZE for another "
		"limit, or 0 for none");
	assert_int_equal(err->kind, ERROR_FAILED);
	/* Nothing is written after a piece that was refused. */
	assert_false(output_limit_take(0));
}

static void the_default_limit_is_1_gib_for_small_recordings(
	void **state _unused_)
{
	_cleanup_error_ struct error *err = NULL;

	output_limit_begin(OUTPUT_LIMIT_BY_INPUT);
	output_limit_add_input(4096);
	assert_true(output_limit_take(GIB(1)));
	assert_false(output_limit_take(1));
	err = output_limit_error("x.json");
	assert_string_equal(err->text,
		"x.json was not written: the output exceeds 1.0 GiB, the "
		"default limit for this recording; use --max-output SIZE for "
		"another limit, or 0 for none");
}

static void the_default_limit_is_1000_times_a_large_recording(
	void **state _unused_)
{
	output_limit_begin(OUTPUT_LIMIT_BY_INPUT);
	output_limit_add_input(1000000);
	output_limit_add_input(1000000);
	assert_true(output_limit_take(2000000000));
	assert_false(output_limit_take(1));
	output_limit_begin(OUTPUT_LIMIT_BY_INPUT);
	output_limit_add_input(UINT64_MAX);
	output_limit_add_input(UINT64_MAX);
	assert_true(output_limit_take(UINT64_MAX));
}

static void the_sink_refuses_bytes_beyond_the_limit(void **state _unused_)
{
	char path[] = "/tmp/test_output_limit.XXXXXX";
	int fd = mkstemp(path);
	struct sink sink = output_limit_sink(&fd);

	assert_true(fd >= 0);
	unlink(path);
	output_limit_begin(4);
	assert_int_equal(sink.append(sink.data, "abc", 3), 0);
	assert_int_equal(sink.append(sink.data, "de", 2), EFBIG);
	assert_int_equal(lseek(fd, 0, SEEK_END), 3);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			without_a_limit_output_of_any_size_is_accepted),
		cmocka_unit_test(output_beyond_the_limit_is_refused),
		cmocka_unit_test(
			the_default_limit_is_1_gib_for_small_recordings),
		cmocka_unit_test(
			the_default_limit_is_1000_times_a_large_recording),
		cmocka_unit_test(the_sink_refuses_bytes_beyond_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
