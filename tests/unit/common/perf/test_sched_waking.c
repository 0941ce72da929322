/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the woken thread with the offset from the tracepoint's format. */
#include "config.h"

#include "common/perf/sched_waking.h"

#include "tests/unit/testing.h"

#define COMMON                                                                 \
	"name: sched_waking\nID: 302\nformat:\n"                               \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"           \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"

static size_t waking_offset(const char *format)
{
	return sched_waking_offset(format, strlen(format));
}

static void the_offset_of_the_woken_pid_is_read_from_the_format(
	void **state _unused_)
{
	static const char whole[] =
		COMMON "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		       "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n";

	assert_int_equal(waking_offset(whole), 24);
	assert_int_equal(waking_offset(COMMON), 0);
	assert_int_equal(waking_offset(COMMON "\tfield:pid_t pid;\toff"), 0);
	assert_int_equal(
		waking_offset(COMMON "\tfield:pid_t pid;\toffset:"), 0);
	assert_int_equal(
		waking_offset(COMMON "\tfield:pid_t pid;\toffset:x"), 0);
	assert_int_equal(
		waking_offset(COMMON "\tfield:pid_t pid;\toffset:99999999999"),
		0);
	assert_int_equal(waking_offset(""), 0);
}

static void the_woken_thread_is_read_in_either_byte_order(void **state _unused_)
{
	static const uint8_t raw[] = { 1, 2, 3, 4, 0x39, 0x05, 0, 0 };
	struct sample sample = { .raw = raw, .raw_size = sizeof(raw) };
	uint32_t tid;

	assert_true(sched_waking_read(&sample, 4, false, &tid));
	assert_int_equal(tid, 1337);
	assert_true(sched_waking_read(&sample, 4, true, &tid));
	assert_int_equal(tid, 0x39050000);
	assert_false(sched_waking_read(&sample, 5, false, &tid));
	assert_false(sched_waking_read(&sample, RECORD_SIZE_MAX, false, &tid));
	sample = (struct sample){ 0 };
	assert_false(sched_waking_read(&sample, 0, false, &tid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_offset_of_the_woken_pid_is_read_from_the_format),
		cmocka_unit_test(the_woken_thread_is_read_in_either_byte_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
