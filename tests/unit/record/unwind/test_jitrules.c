/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Versions of the rules of JIT code, and bytes of JIT code. */
#include "config.h"

#include <unistd.h>

#include "tests/unit/testing.h"

#include "record/unwind/jitrules.h"

#define PID 1000u
/* More processes than are kept. */
#define OTHERS 1000u

static void ask(struct jitrules *rules, uint32_t pid, uint64_t time)
{
	jitrules_find(rules, pid, 0x1000, time);
	jitrules_settle(rules);
}

/*
 * A user keeps the version from before its first request. If this version were
 * used again, results with freed rules would be, too.
 */
static void test_versions_are_not_reused(void **state)
{
	struct file_tracker *tracker = file_tracker_create();
	struct jitrules *rules = jitrules_create(tracker);
	uint64_t before = jitrules_version(rules, PID, 1), then, after;
	uint32_t i;

	(void)state;
	ask(rules, PID, 1);
	then = jitrules_version(rules, PID, 1);
	assert_true(then != before);
	assert_true(jitrules_version(rules, PID, 1) == then);
	for (i = 1; i <= OTHERS; i++)
		ask(rules, PID + i, 1 + i);
	after = jitrules_version(rules, PID, 2 + OTHERS);
	assert_true(after != before);
	assert_true(after != then);
	jitrules_destroy(rules);
	file_tracker_destroy(tracker);
}

/* Reads the byte at AT of CODE, of this process. */
static uint8_t read_code_byte(struct live_code *live, const uint8_t *code)
{
	uint8_t byte = 0;

	if (!live_code_read(
		    live, (uint32_t)getpid(), (uintptr_t)code, &byte, 1))
		skip_without("process-memory");
	return byte;
}

static void test_code_beside_known_code_is_read(void **state)
{
	static _Alignas(LIVE_CODE_MAX) uint8_t code[2 * LIVE_CODE_MAX];
	struct live_code *live = live_code_create();
	size_t at;

	(void)state;
	code[0] = 1;
	assert_int_equal(read_code_byte(live, &code[0]), 1);
	/* Each function is written after the one before was read. */
	for (at = 64; at < sizeof(code); at += 64) {
		code[at] = (uint8_t)(at / 64 + 1);
		assert_int_equal(read_code_byte(live, &code[at]), code[at]);
	}
	live_code_destroy(live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions_are_not_reused),
		cmocka_unit_test(test_code_beside_known_code_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
