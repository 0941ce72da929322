/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When answers about code that is made at run time don't hold any more. */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/unwind/jitrules.h"

#define PID 1000u
/* More than are kept. */
#define OTHERS 1000u

static void ask(struct jitrules *rules, uint32_t pid, uint64_t time)
{
	jitrules_find(rules, pid, 0x1000, time);
	jitrules_settle(rules);
}

/*
 * Who asks remembers the state of before its first question. If it came back
 * its answers would be used again, though their rules are freed.
 */
static void test_no_state_comes_back(void **state)
{
	struct keeper *keeper = keeper_create();
	struct jitrules *rules = jitrules_create(keeper);
	uint64_t before = jitrules_state(rules, PID, 1), then, after;
	uint32_t i;

	(void)state;
	ask(rules, PID, 1);
	then = jitrules_state(rules, PID, 1);
	assert_true(then != before);
	assert_true(jitrules_state(rules, PID, 1) == then);
	for (i = 1; i <= OTHERS; i++)
		ask(rules, PID + i, 1 + i);
	after = jitrules_state(rules, PID, 2 + OTHERS);
	assert_true(after != before);
	assert_true(after != then);
	jitrules_destroy(rules);
	keeper_destroy(keeper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_state_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
