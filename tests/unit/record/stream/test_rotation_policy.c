/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/stream/output.h"

static void assert_is(const char *text, uint64_t size, uint64_t interval_ns)
{
	struct output_rotation rotation = { .n_max = 7 };

	assert_no_error(output_rotation_parse(text, &rotation));
	assert_true(rotation.has_many);
	assert_true(rotation.is_stamped);
	assert_int_equal(rotation.size, size);
	assert_int_equal(rotation.interval_ns, interval_ns);
	assert_int_equal(rotation.n_max, 7);
}

static void a_rotation_by_signal_size_or_time_is_parsed(void **state _unused_)
{
	assert_is("signal", 0, 0);
	assert_is("500B", 500, 0);
	assert_is("100K", KIB(100), 0);
	assert_is("100M", MIB(100), 0);
	assert_is("2G", MIB(2048), 0);
	assert_is("30s", 0, 30 * NSEC_PER_SEC);
	assert_is("5m", 0, 300 * NSEC_PER_SEC);
	assert_is("1h", 0, 3600 * NSEC_PER_SEC);
	assert_is("1d", 0, 86400 * NSEC_PER_SEC);
}

static void other_words_for_a_rotation_are_errors(void **state _unused_)
{
	static const char *const bad[] = { "", "10", "10x", "s", "M", "0s",
		"0K", "1.5s", "10ss", "10Ms", "-1s", "signals",
		"99999999999999999999s" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct output_rotation rotation = { 0 };
		struct error *err = output_rotation_parse(bad[i], &rotation);

		if (!err)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(err->kind, ERROR_USAGE);
		assert_non_null(strstr(err->text, "--switch-output: "));
		error_free(err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rotation_by_signal_size_or_time_is_parsed),
		cmocka_unit_test(other_words_for_a_rotation_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
