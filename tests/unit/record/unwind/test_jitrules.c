/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Versions of the rules of JIT code. */
#include "config.h"

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
static void versions_of_jit_unwind_rules_are_not_reused(void **state)
{
	struct file_tracker *tracker = file_tracker_create(NULL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_of_jit_unwind_rules_are_not_reused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
