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
	depths_see(depths, TID, now - 15, end.address + 8);
	depths_see(depths, TID + 1, now, end.address + 8);
	depths_see(depths, TID, now, end.address);
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
	depths_see(depths, TID, clocks_now(), end.address + 8);
	assert_found(depths, now, true);
	depths_destroy(depths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_behind_a_copy_is_read),
		cmocka_unit_test(what_was_left_since_is_not_told),
		cmocka_unit_test(what_was_left_later_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
