/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/stitch.h"

#include <inttypes.h>

#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

#define FRAMES_MAX 16u

/* A frame's return address and its stack slot. */
struct frame_at {
	uint64_t pc, slot;
};

struct taken {
	uint64_t pcs[FRAMES_MAX], slots[FRAMES_MAX];
	struct stack_frames stack;
};

static void take(const struct frame_at *frames, size_t n, struct taken *ret)
{
	size_t i;

	for (i = 0; i < n; i++) {
		ret->pcs[i] = frames[i].pc;
		ret->slots[i] = frames[i].slot;
	}
	ret->stack = (struct stack_frames){ .thread = { .tid = 1 },
		.addresses = ret->pcs,
		.slots = ret->slots,
		.n = n };
}

/* Frames from the leaf frame on: pc, slot, pc, slot, ... */
#define FRAMES(...)                                                 \
	(const struct frame_at *)(const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8 / 2

static void whole(struct stitch *stitch, uint64_t time,
	const struct frame_at *frames, size_t n)
{
	struct taken taken;

	take(frames, n, &taken);
	stitch_add_complete(stitch, &taken.stack, time);
}

static uint32_t cut(struct stitch *stitch, uint64_t time,
	const struct frame_at *frames, size_t n)
{
	struct taken taken;

	take(frames, n, &taken);
	return stitch_add_truncated(stitch, &taken.stack, time);
}

static void assert_callers(
	const struct stitch *stitch, uint32_t end, const char *expected)
{
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct stitch_walk walk = stitch_callers(stitch, end);
	uint64_t pc;

	strbuf_puts(&found, "");
	while (stitch_next(&walk, &pc))
		strbuf_printf(&found, " %" PRIx64, pc);
	assert_string_equal(found.at, expected);
}

static void finish(struct stitch *stitch)
{
	stitch_finish(&stitch, 1);
}

static void a_cut_stack_gets_the_callers_of_samples_before_and_after(
	void **state)
{
	struct stitch stitch = { 0 };
	uint32_t before, first, between, second, after;

	(void)state;
	before = cut(&stitch, 9, FRAMES(0x2, 0, 0xa, 100));
	whole(&stitch, 10, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	first = cut(&stitch, 12, FRAMES(0x2, 0, 0xa, 100));
	whole(&stitch, 14, FRAMES(0x1, 0, 0xf, 190, 0xb, 200));
	whole(&stitch, 16, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	/* Between two different callers, the caller is unknown. */
	between = cut(&stitch, 18, FRAMES(0x2, 0, 0xa, 100));
	whole(&stitch, 20, FRAMES(0x1, 0, 0xa, 100, 0xc, 300));
	second = cut(&stitch, 22, FRAMES(0x2, 0, 0xa, 100));
	whole(&stitch, 24, FRAMES(0x3, 0, 0xa, 100, 0xc, 300));
	after = cut(&stitch, 26, FRAMES(0x2, 0, 0xa, 100));
	finish(&stitch);
	assert_callers(&stitch, before, " b");
	assert_callers(&stitch, first, " b");
	assert_callers(&stitch, between, "");
	assert_callers(&stitch, second, " c");
	assert_callers(&stitch, after, " c");
	stitch_deinit(&stitch);
}

static void a_single_sample_with_the_callers_must_be_near_in_time(void **state)
{
	struct stitch stitch = { 0 };
	uint32_t near, far, early;

	(void)state;
	early = cut(&stitch, 10, FRAMES(0x2, 0, 0xa, 100));
	whole(&stitch, 100000000, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	near = cut(&stitch, 101000000, FRAMES(0x2, 0, 0xa, 100));
	far = cut(&stitch, 200000000, FRAMES(0x2, 0, 0xa, 100));
	finish(&stitch);
	assert_callers(&stitch, near, " b");
	assert_callers(&stitch, far, "");
	assert_callers(&stitch, early, "");
	stitch_deinit(&stitch);
}

static void a_frame_of_two_samples_has_its_callers_between_them(void **state)
{
	struct stitch stitch = { 0 };
	uint32_t end;

	(void)state;
	whole(&stitch, 10, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	end = cut(&stitch, 50, FRAMES(0x2, 0, 0xa, 100));
	whole(&stitch, 90, FRAMES(0x3, 0, 0xa, 100, 0xb, 200));
	whole(&stitch, 100, FRAMES(0x1, 0, 0xa, 100, 0xd, 200));
	finish(&stitch);
	assert_int_equal(stitch.nodes.n, 5);
	assert_callers(&stitch, end, " b");
	stitch_deinit(&stitch);
}

static void callers_need_the_same_address_slot_thread_and_program(void **state)
{
	struct stitch stitch = { 0 };
	uint32_t place, address, thread, program;
	struct taken taken;

	(void)state;
	whole(&stitch, 10, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	place = cut(&stitch, 11, FRAMES(0x2, 0, 0xe, 100));
	address = cut(&stitch, 11, FRAMES(0x2, 0, 0xa, 108));
	take(FRAMES(0x2, 0, 0xa, 100), &taken);
	taken.stack.thread.tid = 7;
	thread = stitch_add_truncated(&stitch, &taken.stack, 11);
	/* The same thread ID, after an exec. */
	taken.stack.thread.tid = 1;
	taken.stack.thread.space = 2;
	program = stitch_add_truncated(&stitch, &taken.stack, 11);
	finish(&stitch);
	assert_callers(&stitch, program, "");
	assert_callers(&stitch, place, "");
	assert_callers(&stitch, address, "");
	assert_callers(&stitch, thread, "");
	stitch_deinit(&stitch);
}

/* A completed stack completes other stacks, in any order of samples. */
static void a_completed_stack_completes_other_stacks(void **state)
{
	struct stitch stitch = { 0 };
	uint32_t deep, middle;

	(void)state;
	deep = cut(&stitch, 12, FRAMES(0x2, 0, 0xe, 50, 0xa, 100));
	middle = cut(&stitch, 11, FRAMES(0x2, 0, 0xa, 100, 0xb, 200));
	whole(&stitch, 10, FRAMES(0x1, 0, 0xb, 200, 0xc, 300));
	finish(&stitch);
	assert_callers(&stitch, middle, " c");
	assert_callers(&stitch, deep, " b c");
	stitch_deinit(&stitch);
}

static void cut_stacks_without_a_complete_match_stay_cut(void **state)
{
	struct stitch stitch = { 0 };
	uint32_t end, alone;

	(void)state;
	end = cut(&stitch, 10, FRAMES(0x2, 0, 0xa, 100));
	cut(&stitch, 11, FRAMES(0x2, 0, 0xa, 100, 0xb, 200));
	alone = cut(&stitch, 12, FRAMES(0x2, 0));
	finish(&stitch);
	assert_callers(&stitch, end, "");
	assert_callers(&stitch, alone, "");
	stitch_deinit(&stitch);
}

static void stacks_of_one_part_complete_stacks_of_another_part(void **state)
{
	struct stitch one = { 0 }, other = { 0 };
	struct stitch *const both[] = { &one, &other };
	uint32_t end;

	(void)state;
	end = cut(&one, 10, FRAMES(0x2, 0, 0xa, 100));
	whole(&other, 11, FRAMES(0x2, 0, 0xa, 100, 0xb, 200));
	stitch_finish(both, 2);
	assert_callers(&one, end, " b");
	stitch_deinit(&one);
	stitch_deinit(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_cut_stack_gets_the_callers_of_samples_before_and_after),
		cmocka_unit_test(
			a_single_sample_with_the_callers_must_be_near_in_time),
		cmocka_unit_test(
			a_frame_of_two_samples_has_its_callers_between_them),
		cmocka_unit_test(
			callers_need_the_same_address_slot_thread_and_program),
		cmocka_unit_test(a_completed_stack_completes_other_stacks),
		cmocka_unit_test(cut_stacks_without_a_complete_match_stay_cut),
		cmocka_unit_test(
			stacks_of_one_part_complete_stacks_of_another_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
