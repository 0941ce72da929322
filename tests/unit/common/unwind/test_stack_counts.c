/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/stack_counts.h"

#include "tests/unit/testing.h"

static void stack_counts_are_read_as_they_were_written(void **state)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct stack_counts counts = { .all = 9, .whole = 5, .joined = 2 };
	struct stack_counts again = { 0 };
	const char *at, *end;

	(void)state;
	counts.ends[UNWIND_ZERO] = 4;
	stack_counts_write(&counts, &out);
	end = out.at + out.n;
	for (at = out.at; at < end; at += strlen(at) + 1) {
		const char *key = at;

		at += strlen(at) + 1;
		stack_counts_read(&again, key, at);
	}
	assert_memory_equal(&again, &counts, sizeof(counts));
	stack_counts_read(&again, "queue_peak_bytes", "7");
	assert_memory_equal(&again, &counts, sizeof(counts));
}

static void adding_stack_counts_adds_each_count(void **state)
{
	struct stack_counts counts, sum = { 0 };
	uint64_t values[sizeof(sum) / sizeof(uint64_t)];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = i + 1;
	memcpy(&counts, values, sizeof(counts));
	counts.ends[UNWIND_ROOT] = 0;
	stack_counts_add(&sum, &counts);
	assert_memory_equal(&sum, &counts, sizeof(sum));
	stack_counts_add(&sum, &counts);
	assert_int_equal(sum.small, 2 * counts.small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_counts_are_read_as_they_were_written),
		cmocka_unit_test(adding_stack_counts_adds_each_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
