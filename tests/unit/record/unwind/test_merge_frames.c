/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how frames of an interpreter replace native frames. */
#include "config.h"

#include "record/unwind/merge_frames.h"

#include "tests/unit/testing.h"

/* The function that interprets is at 0x1000 to 0x2000; trampolines are at
 * 0x9000. */
static const struct interpreter interpreter = {
	.ranges = { { .start = 0x1000, .end = 0x2000 } },
	.n_ranges = 1,
};

static bool is_at_9000(void *data, uint64_t pc)
{
	(void)data;
	return pc >> 12 == 9;
}

/*
 * Merges the native chain NATIVE and the frames FRAMES, both ended by 0. A
 * frame above 1000 ends its group, and stands for the address - 1000; 1000 is a
 * hidden frame. Compares the result with WANTED, ended by 0.
 */
static void assert_merged(const uint64_t *native, const uint64_t *frames,
	bool is_whole, enum merge_result result, const uint64_t *wanted)
{
	struct interpreter_frame interpreted[8];
	struct merge_input input = {
		.native = native,
		.is_whole = is_whole,
		.interpreter = &interpreter,
		.frames = interpreted,
		.is_trampoline = is_at_9000,
	};
	uint64_t out[16];
	size_t n, i;

	while (native[input.n_native])
		input.n_native++;
	for (i = 0; frames[i]; i++)
		interpreted[i] = (struct interpreter_frame){ frames[i] % 1000,
			frames[i] >= 1000 };
	input.n_frames = i;
	assert_int_equal(merge_frames(&input, out, &n), result);
	assert_true(n <= MERGE_MAX(&input));
	for (i = 0; i < n; i++)
		assert_int_equal(out[i], wanted[i]);
	assert_int_equal(wanted[n], 0);
}

#define CHAIN(...)             \
	(const uint64_t[])     \
	{                      \
		__VA_ARGS__, 0 \
	}

static void each_call_of_the_interpreter_shows_its_group_of_frames(void **state)
{
	(void)state;
	/* A C function at 0x5000 called back into the interpreter. */
	assert_merged(CHAIN(0x3000, 0x1100, 0x5000, 0x1200, 0x6000),
		CHAIN(1, 1002, 3, 4, 1005), true, MERGE_EXACT,
		CHAIN(0x3000, 1, 2, 0x1100, 0x5000, 3, 4, 5, 0x1200, 0x6000));
	/* Hidden frames end groups, and are not shown. */
	assert_merged(CHAIN(0x1100, 0x5000, 0x1200, 0x6000),
		CHAIN(1, 1000, 2, 3, 1000), true, MERGE_EXACT,
		CHAIN(1, 0x1100, 0x5000, 2, 3, 0x1200, 0x6000));
}

static void a_return_address_at_the_end_of_a_function_belongs_to_it(
	void **state)
{
	(void)state;
	assert_merged(CHAIN(0x3000, 0x2000), CHAIN(1001), true, MERGE_EXACT,
		CHAIN(0x3000, 1, 0x2000));
	/* The sampled pc is exact. */
	assert_merged(CHAIN(0x2000, 0x1100), CHAIN(1001), true, MERGE_EXACT,
		CHAIN(0x2000, 1, 0x1100));
}

static void an_interpreter_call_at_its_first_instruction_has_no_group(
	void **state)
{
	(void)state;
	assert_merged(CHAIN(0x1000, 0x5000, 0x1200, 0x6000), CHAIN(1, 1002),
		true, MERGE_SHIFTED,
		CHAIN(0x1000, 0x5000, 1, 2, 0x1200, 0x6000));
}

/* The outer calls of a coroutine with a stack of its own have another list. */
static void outer_interpreter_calls_without_a_group_stay_native(void **state)
{
	(void)state;
	assert_merged(CHAIN(0x3000, 0x7000, 0x1100, 0x5000, 0x1200, 0x6000),
		CHAIN(1, 1002), true, MERGE_SHIFTED,
		CHAIN(0x3000, 0x7000, 1, 2, 0x1100, 0x5000, 0x1200, 0x6000));
	assert_merged(CHAIN(0x1100, 0x5000, 0x1200, 0x5000, 0x1300, 0x6000),
		CHAIN(1001), true, MERGE_SHIFTED,
		CHAIN(1, 0x1100, 0x5000, 0x1200, 0x5000, 0x1300, 0x6000));
}

static void a_group_without_a_native_call_joins_the_next_group(void **state)
{
	(void)state;
	assert_merged(CHAIN(0x3000, 0x1200, 0x6000), CHAIN(1001, 1002), true,
		MERGE_SHIFTED, CHAIN(0x3000, 1, 2, 0x1200, 0x6000));
}

static void groups_beyond_the_number_of_calls_join_the_outermost_call(
	void **state)
{
	(void)state;
	assert_merged(CHAIN(0x3000, 0x1200, 0x5000, 0x6000),
		CHAIN(1001, 1002, 1003), true, MERGE_ALONE,
		CHAIN(0x3000, 1, 2, 3, 0x1200, 0x5000, 0x6000));
	/* Without a call, the native frames are callees. */
	assert_merged(CHAIN(0x3000, 0x6000), CHAIN(1001), true, MERGE_ALONE,
		CHAIN(0x3000, 0x6000, 1));
}

static void incomplete_native_chains_are_merged_from_the_inside(void **state)
{
	(void)state;
	assert_merged(CHAIN(0x3000, 0x1200, 0x5000), CHAIN(1, 1002, 1003, 1004),
		false, MERGE_SHIFTED,
		CHAIN(0x3000, 1, 2, 0x1200, 0x5000, 3, 4));
}

/* Such as functions in C that another thread runs. */
static void groups_without_a_visible_frame_do_not_count(void **state)
{
	(void)state;
	assert_merged(CHAIN(0x3000, 0x1100, 0x6000),
		(const uint64_t[]){ 1000, 1, 1002, 1000, 0 }, true, MERGE_EXACT,
		CHAIN(0x3000, 1, 2, 0x1100, 0x6000));
}

static void trampolines_are_left_out_of_the_merged_chain(void **state)
{
	(void)state;
	assert_merged(CHAIN(0x1100, 0x9010, 0x5000, 0x1200, 0x9020, 0x6000),
		CHAIN(1001, 1002), true, MERGE_EXACT,
		CHAIN(1, 0x1100, 0x5000, 2, 0x1200, 0x6000));
}

static void without_interpreter_frames_the_native_chain_is_unchanged(
	void **state)
{
	(void)state;
	assert_merged(CHAIN(0x3000, 0x6000), CHAIN(0), true, MERGE_EXACT,
		CHAIN(0x3000, 0x6000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_call_of_the_interpreter_shows_its_group_of_frames),
		cmocka_unit_test(
			a_return_address_at_the_end_of_a_function_belongs_to_it),
		cmocka_unit_test(
			an_interpreter_call_at_its_first_instruction_has_no_group),
		cmocka_unit_test(
			outer_interpreter_calls_without_a_group_stay_native),
		cmocka_unit_test(
			a_group_without_a_native_call_joins_the_next_group),
		cmocka_unit_test(
			groups_beyond_the_number_of_calls_join_the_outermost_call),
		cmocka_unit_test(
			incomplete_native_chains_are_merged_from_the_inside),
		cmocka_unit_test(groups_without_a_visible_frame_do_not_count),
		cmocka_unit_test(trampolines_are_left_out_of_the_merged_chain),
		cmocka_unit_test(
			without_interpreter_frames_the_native_chain_is_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
