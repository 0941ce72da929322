/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is woken, by what the kernel says of its tracepoint. */
#include "config.h"

#include "common/perf/sched_waking.h"

#include "tests/unit/testing.h"

#define COMMON                                                                 \
	"name: sched_waking\nID: 302\nformat:\n"                               \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"           \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"

static size_t place(const char *format)
{
	return waking_place(format, strlen(format));
}

static void the_format_tells_where(void **state _unused_)
{
	static const char whole[] =
		COMMON "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		       "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n";

	assert_int_equal(place(whole), 24);
	assert_int_equal(place(COMMON), 0);
	assert_int_equal(place(COMMON "\tfield:pid_t pid;\toff"), 0);
	assert_int_equal(place(COMMON "\tfield:pid_t pid;\toffset:"), 0);
	assert_int_equal(place(COMMON "\tfield:pid_t pid;\toffset:x"), 0);
	assert_int_equal(
		place(COMMON "\tfield:pid_t pid;\toffset:99999999999"), 0);
	assert_int_equal(place(""), 0);
}

static void who_is_woken_stands_there(void **state _unused_)
{
	static const uint8_t raw[] = { 1, 2, 3, 4, 0x39, 0x05, 0, 0 };
	struct sample sample = { .raw = raw, .raw_size = sizeof(raw) };
	uint32_t tid;

	assert_true(waking_read(&sample, 4, false, &tid));
	assert_int_equal(tid, 1337);
	assert_true(waking_read(&sample, 4, true, &tid));
	assert_int_equal(tid, 0x39050000);
	assert_false(waking_read(&sample, 5, false, &tid));
	assert_false(waking_read(&sample, RECORD_SIZE_MAX, false, &tid));
	sample = (struct sample){ 0 };
	assert_false(waking_read(&sample, 0, false, &tid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_format_tells_where),
		cmocka_unit_test(who_is_woken_stands_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
