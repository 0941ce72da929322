/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/depths.h"

#include <unistd.h>

#include "record/clocks.h"
#include "tests/unit/testing.h"

#define TID 7u

/* A stack of this process's own; a copy ends in its middle. */
static uint64_t stack[512];

static struct depths_question question_at(uint64_t time)
{
	return (struct depths_question){
		.pid = (uint32_t)getpid(),
		.tid = TID,
		.time = time,
		.address = (uint64_t)(uintptr_t)&stack[256],
		.overlap = 64,
	};
}

static void assert_found(struct depths *depths, uint64_t time, bool is_wanted)
{
	static uint8_t bytes[DEPTHS_SIZE_MAX];
	size_t n = depths_find(depths, TID, time, bytes);

	assert_int_equal(n > 64, is_wanted);
	if (is_wanted)
		assert_memory_equal(bytes, &stack[248], 64);
}

static void ask(struct depths *depths, uint64_t time)
{
	const struct depths_question question = question_at(time);

	assert_true(depths_ask(depths, &question));
}

/* A sample whose copy begins at STACK_POINTER and has all of the stack. */
static void see(struct depths *depths, uint32_t tid, uint64_t time,
	uint64_t stack_pointer)
{
	uint64_t start = (uint64_t)(uintptr_t)stack;
	const struct depths_seen seen = {
		.tid = tid,
		.time = time,
		.stack_pointer = stack_pointer,
		.bytes = (const uint8_t *)(uintptr_t)stack_pointer,
		.size = start + sizeof(stack) - stack_pointer,
	};

	depths_see(depths, &seen);
}

static void what_is_behind_a_copy_is_read(void **state _unused_)
{
	struct depths *depths = depths_create();

	memset(stack, 0x5a, sizeof(stack));
	ask(depths, clocks_now());
	assert_no_error(depths_start(depths, 0));
	ask(depths, 1);
	assert_found(depths, 1, true);
	assert_found(depths, 2, false);
	depths_destroy(depths);
}

/* The thread has returned from there before anybody could read it. */
static void what_was_left_since_is_not_told(void **state _unused_)
{
	const struct depths_question end = question_at(0);
	struct depths *depths = depths_create();
	uint64_t now = clocks_now();

	ask(depths, now - 30);
	ask(depths, now - 20);
	ask(depths, now - 10);
	see(depths, TID, now - 15, end.address + 8);
	see(depths, TID + 1, now, end.address + 8);
	see(depths, TID, now, end.address);
	assert_no_error(depths_start(depths, 0));
	assert_found(depths, now - 10, true);
	assert_found(depths, now - 20, false);
	assert_found(depths, now - 30, false);
	depths_destroy(depths);
}

static void what_was_left_later_is_told(void **state _unused_)
{
	const struct depths_question end = question_at(0);
	struct depths *depths = depths_create();
	uint64_t now = clocks_now();

	ask(depths, now);
	ask(depths, now + 1);
	assert_no_error(depths_start(depths, 0));
	assert_found(depths, now + 1, true);
	see(depths, TID, clocks_now(), end.address + 8);
	assert_found(depths, now, true);
	depths_destroy(depths);
}

/* Only the first sample that comes after the answer tells. */
static void what_a_later_sample_has_is_told(void **state _unused_)
{
	const struct depths_question end = question_at(0);
	struct depths *depths = depths_create();
	uint64_t now = clocks_now(), i;
	uint8_t bytes[DEPTHS_OVERLAP];

	assert_no_error(depths_start(depths, 0));
	for (i = 0; i < 4; i++) {
		ask(depths, now + i);
		assert_found(depths, now + i, true);
	}
	/* The copy begins before what was asked for, in it, and behind it. */
	stack[255] = 0x1234;
	see(depths, TID, clocks_now(), end.address - 128);
	stack[255] = 0x5678;
	see(depths, TID, clocks_now(), end.address - 128);
	assert_int_equal(
		depths_find_later(depths, TID, now, bytes), end.overlap);
	assert_int_equal(bytes[56] | bytes[57] << 8, 0x1234);
	assert_int_equal(depths_find_later(depths, TID, now, bytes), 0);
	ask(depths, now + 5);
	assert_found(depths, now + 5, true);
	see(depths, TID, clocks_now(), end.address - 16);
	assert_int_equal(depths_find_later(depths, TID, now + 5, bytes), 16);
	ask(depths, now + 6);
	assert_found(depths, now + 6, true);
	see(depths, TID, clocks_now(), end.address);
	assert_int_equal(depths_find_later(depths, TID, now + 6, bytes), 0);
	/* No sample has come: it isn't waited for long. */
	ask(depths, now + 7);
	assert_found(depths, now + 7, true);
	assert_int_equal(depths_find_later(depths, TID, now + 7, bytes), 0);
	depths_destroy(depths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_behind_a_copy_is_read),
		cmocka_unit_test(what_was_left_since_is_not_told),
		cmocka_unit_test(what_was_left_later_is_told),
		cmocka_unit_test(what_a_later_sample_has_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
