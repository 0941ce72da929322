/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/stack_stitch.h"

#include <inttypes.h>

#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

#define FRAMES_MAX 16u

/* A frame's return address, and where on the stack it lies. */
struct frame_at {
	uint64_t pc, slot;
};

struct taken {
	uint64_t pcs[FRAMES_MAX], slots[FRAMES_MAX];
	struct joins_stack stack;
};

static void take(uint64_t time, const struct frame_at *frames, size_t n,
	struct taken *ret)
{
	size_t i;

	for (i = 0; i < n; i++) {
		ret->pcs[i] = frames[i].pc;
		ret->slots[i] = frames[i].slot;
	}
	ret->stack = (struct joins_stack){ .tid = 1,
		.time = time,
		.pcs = ret->pcs,
		.slots = ret->slots,
		.n = n };
}

/* Frames from the sampled one on: pc, slot, pc, slot, ... */
#define FRAMES(...)                                                            \
	(const struct frame_at *)(const uint64_t[]){ __VA_ARGS__ },            \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8 / 2

static void whole(struct joins *joins, uint64_t time,
	const struct frame_at *frames, size_t n)
{
	struct taken taken;

	take(time, frames, n, &taken);
	joins_add_whole(joins, &taken.stack);
}

static uint32_t cut(struct joins *joins, uint64_t time,
	const struct frame_at *frames, size_t n)
{
	struct taken taken;

	take(time, frames, n, &taken);
	return joins_add_cut(joins, &taken.stack);
}

static void assert_callers(
	const struct joins *joins, uint32_t end, const char *expected)
{
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct joins_walk walk = joins_callers(joins, end);
	uint64_t pc;

	strbuf_puts(&found, "");
	while (joins_next(&walk, &pc))
		strbuf_printf(&found, " %" PRIx64, pc);
	assert_string_equal(found.at, expected);
}

static void finish(struct joins *joins)
{
	joins_finish(&joins, 1);
}

static void a_cut_stack_has_the_callers_of_its_neighbours(void **state)
{
	struct joins joins = { 0 };
	uint32_t before, first, between, second, after;

	(void)state;
	before = cut(&joins, 9, FRAMES(0x2, 0, 0xa, 100));
	whole(&joins, 10, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	first = cut(&joins, 12, FRAMES(0x2, 0, 0xa, 100));
	whole(&joins, 14, FRAMES(0x1, 0, 0xf, 190, 0xb, 200));
	whole(&joins, 16, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	/* Who called in between, nobody knows. */
	between = cut(&joins, 18, FRAMES(0x2, 0, 0xa, 100));
	whole(&joins, 20, FRAMES(0x1, 0, 0xa, 100, 0xc, 300));
	second = cut(&joins, 22, FRAMES(0x2, 0, 0xa, 100));
	whole(&joins, 24, FRAMES(0x3, 0, 0xa, 100, 0xc, 300));
	after = cut(&joins, 26, FRAMES(0x2, 0, 0xa, 100));
	finish(&joins);
	assert_callers(&joins, before, " b");
	assert_callers(&joins, first, " b");
	assert_callers(&joins, between, "");
	assert_callers(&joins, second, " c");
	assert_callers(&joins, after, " c");
	joins_deinit(&joins);
}

static void a_single_neighbour_must_be_near(void **state)
{
	struct joins joins = { 0 };
	uint32_t near, far, early;

	(void)state;
	early = cut(&joins, 10, FRAMES(0x2, 0, 0xa, 100));
	whole(&joins, 100000000, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	near = cut(&joins, 101000000, FRAMES(0x2, 0, 0xa, 100));
	far = cut(&joins, 200000000, FRAMES(0x2, 0, 0xa, 100));
	finish(&joins);
	assert_callers(&joins, near, " b");
	assert_callers(&joins, far, "");
	assert_callers(&joins, early, "");
	joins_deinit(&joins);
}

static void a_frame_that_stays_counts_all_the_time(void **state)
{
	struct joins joins = { 0 };
	uint32_t end;

	(void)state;
	whole(&joins, 10, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	end = cut(&joins, 50, FRAMES(0x2, 0, 0xa, 100));
	whole(&joins, 90, FRAMES(0x3, 0, 0xa, 100, 0xb, 200));
	whole(&joins, 100, FRAMES(0x1, 0, 0xa, 100, 0xd, 200));
	finish(&joins);
	assert_int_equal(joins.nodes.n, 5);
	assert_callers(&joins, end, " b");
	joins_deinit(&joins);
}

static void neither_place_nor_address_alone_is_enough(void **state)
{
	struct joins joins = { 0 };
	uint32_t place, address, thread, program;
	struct taken taken;

	(void)state;
	whole(&joins, 10, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	place = cut(&joins, 11, FRAMES(0x2, 0, 0xe, 100));
	address = cut(&joins, 11, FRAMES(0x2, 0, 0xa, 108));
	take(11, FRAMES(0x2, 0, 0xa, 100), &taken);
	taken.stack.tid = 7;
	thread = joins_add_cut(&joins, &taken.stack);
	/* Of the same number, after an exec. */
	taken.stack.tid = 1;
	taken.stack.program = 2;
	program = joins_add_cut(&joins, &taken.stack);
	finish(&joins);
	assert_callers(&joins, program, "");
	assert_callers(&joins, place, "");
	assert_callers(&joins, address, "");
	assert_callers(&joins, thread, "");
	joins_deinit(&joins);
}

static void the_caller_must_have_called_from_the_same_place(void **state)
{
	struct joins joins = { 0 };
	struct taken taken;
	uint32_t wrong, right;

	(void)state;
	whole(&joins, 10, FRAMES(0x1, 0, 0xa, 100, 0xb, 200));
	take(11, FRAMES(0x2, 0, 0xa, 100), &taken);
	taken.stack.next = 160;
	wrong = joins_add_cut(&joins, &taken.stack);
	taken.stack.next = 200;
	right = joins_add_cut(&joins, &taken.stack);
	finish(&joins);
	assert_callers(&joins, wrong, "");
	assert_callers(&joins, right, " b");
	joins_deinit(&joins);
}

/* A cut stack that is whole now leads others on, in whatever order they came. */
static void joined_stacks_join_others(void **state)
{
	struct joins joins = { 0 };
	uint32_t deep, middle;

	(void)state;
	deep = cut(&joins, 12, FRAMES(0x2, 0, 0xe, 50, 0xa, 100));
	middle = cut(&joins, 11, FRAMES(0x2, 0, 0xa, 100, 0xb, 200));
	whole(&joins, 10, FRAMES(0x1, 0, 0xb, 200, 0xc, 300));
	finish(&joins);
	assert_callers(&joins, middle, " c");
	assert_callers(&joins, deep, " b c");
	joins_deinit(&joins);
}

static void dead_ends_lead_nowhere(void **state)
{
	struct joins joins = { 0 };
	uint32_t end, alone;

	(void)state;
	end = cut(&joins, 10, FRAMES(0x2, 0, 0xa, 100));
	cut(&joins, 11, FRAMES(0x2, 0, 0xa, 100, 0xb, 200));
	alone = cut(&joins, 12, FRAMES(0x2, 0));
	finish(&joins);
	assert_callers(&joins, end, "");
	assert_callers(&joins, alone, "");
	joins_deinit(&joins);
}

static void parts_join_each_other(void **state)
{
	struct joins one = { 0 }, other = { 0 };
	struct joins *const both[] = { &one, &other };
	uint32_t end;

	(void)state;
	end = cut(&one, 10, FRAMES(0x2, 0, 0xa, 100));
	whole(&other, 11, FRAMES(0x2, 0, 0xa, 100, 0xb, 200));
	joins_finish(both, 2);
	assert_callers(&one, end, " b");
	joins_deinit(&one);
	joins_deinit(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_cut_stack_has_the_callers_of_its_neighbours),
		cmocka_unit_test(a_single_neighbour_must_be_near),
		cmocka_unit_test(a_frame_that_stays_counts_all_the_time),
		cmocka_unit_test(neither_place_nor_address_alone_is_enough),
		cmocka_unit_test(
			the_caller_must_have_called_from_the_same_place),
		cmocka_unit_test(joined_stacks_join_others),
		cmocka_unit_test(dead_ends_lead_nowhere),
		cmocka_unit_test(parts_join_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
