/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jumps, blocks, loops, arrows and runs of instructions made by the test. */
#include "config.h"

#include "report/code/branch_runs.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

#define START 0x1000u
#define SIZE 4u /* size of each instruction */

static struct disassembly code;
static struct flow flow;

static int end(void **state _unused_)
{
	flow_deinit(&flow);
	array_free(&code.at);
	return 0;
}

/*
 * TEXT has one letter per instruction: '.', 'c' a call, 'r' a return, '?' not
 * known, 'j' a jump or 'b' a branch. The digit behind 'j' and 'b' is the number
 * of the target.
 */
static void find(const char *text)
{
	for (; *text; text++) {
		struct instruction *at = array_push(&code.at);

		at->address = START + (code.at.n - 1) * SIZE;
		at->size = SIZE;
		at->kind = *text == 'c' ? INSTRUCTION_CALL
			: *text == 'r'	? INSTRUCTION_RETURN
			: *text == 'j'	? INSTRUCTION_JUMP
			: *text == 'b'	? INSTRUCTION_BRANCH
					: INSTRUCTION_OTHER;
		if (*text != 'j' && *text != 'b')
			continue;
		at->has_target = true;
		at->target = START + (uint64_t)(*++text - '0') * SIZE;
	}
	flow_find(&code, &flow);
}

static void a_loop_extends_from_its_head_to_its_jump_back(void **state _unused_)
{
	find("...b7.b2r");
	assert_int_equal(flow.loops.n, 1);
	assert_int_equal(flow.loops.at[0].head, 2);
	assert_int_equal(flow.loops.at[0].last, 5);
	assert_int_equal(flow.places[1].depth, 0);
	assert_int_equal(flow.places[2].depth, 1);
	assert_int_equal(flow.places[5].depth, 1);
	assert_int_equal(flow.places[6].depth, 0);
	/* Instruction 7 is behind the end. */
	assert_int_equal(flow.places[3].target, FLOW_NONE);
}

static void loops_can_be_nested(void **state _unused_)
{
	find("..b1b1.j0r");
	assert_int_equal(flow.loops.n, 2);
	assert_int_equal(flow.loops.at[0].head, 0);
	assert_int_equal(flow.loops.at[0].last, 5);
	/* Two jumps back to one head are one loop. */
	assert_int_equal(flow.loops.at[1].head, 1);
	assert_int_equal(flow.loops.at[1].last, 3);
	assert_int_equal(flow.places[2].depth, 2);
}

static void a_jump_back_from_moved_code_makes_no_loop(void **state _unused_)
{
	/* 1 jumps to 5, which jumps back to 2. */
	find(".b5..r.j2");
	assert_int_equal(flow.loops.n, 0);
	assert_int_equal(flow.places[3].depth, 0);
	flow_deinit(&flow);
	array_free(&code.at);
	/* The code from 2 on leads to 5. */
	find("..b5.r.j2");
	assert_int_equal(flow.loops.n, 1);
	assert_int_equal(flow.loops.at[0].head, 2);
}

static void labels_are_numbered_in_the_order_of_addresses(void **state _unused_)
{
	find(".b4.b1.r");
	assert_int_equal(flow.places[1].label, 1);
	assert_int_equal(flow.places[4].label, 2);
	assert_int_equal(flow.places[0].label, 0);
}

static void basic_blocks_end_with_jumps_and_before_labels(void **state _unused_)
{
	find(".cb4..r.");
	assert_int_equal(flow.blocks.n, 4);
	assert_int_equal(flow.blocks.at[0].last, 2);
	assert_int_equal(flow.blocks.at[1].first, 3);
	assert_int_equal(flow.blocks.at[2].first, 4);
	assert_int_equal(flow.blocks.at[2].last, 5);
	assert_int_equal(flow.places[6].block, 3);
}

static void a_jump_into_the_middle_of_an_instruction_has_no_label(
	void **state _unused_)
{
	find(".j0r");
	flow_deinit(&flow);
	code.at.at[1].target = START + 2;
	flow_find(&code, &flow);
	assert_int_equal(flow.places[1].target, FLOW_NONE);
	assert_int_equal(flow_instruction(&code, START + 2), 0);
	assert_int_equal(flow_instruction(&code, START - 1), FLOW_NONE);
	assert_int_equal(flow_instruction(&code, START + 3 * SIZE), FLOW_NONE);
}

static void assert_arrows(size_t lane, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint32_t i;

	for (i = 0; i < flow.n; i++)
		strbuf_putc(&text, " |.'"[flow.places[i].arrows[lane]]);
	assert_string_equal(text.at, expected);
}

static void short_jump_arrows_are_nearest_to_the_code(void **state _unused_)
{
	find("..b1.b0r");
	assert_int_equal(flow.n_lanes, 2);
	assert_arrows(0, " .'   ");
	assert_arrows(1, ".|||' ");
}

static void overlapping_jump_arrows_are_in_different_lanes(
	void **state _unused_)
{
	find(".b0.b2r");
	assert_int_equal(flow.n_lanes, 1);
	assert_arrows(0, ".'.' ");
	flow_deinit(&flow);
	array_free(&code.at);
	find(".b0b0");
	assert_int_equal(flow.n_lanes, 2);
}

static void jump_arrows_without_a_free_lane_are_not_drawn(void **state _unused_)
{
	find(".b0b0b0b0b0b0b0b0b0");
	assert_int_equal(flow.n_lanes, FLOW_LANES_MAX);
	assert_int_equal(flow.loops.n, 1);
}

static void code_without_instructions_has_no_basic_blocks(void **state _unused_)
{
	find("");
	assert_int_equal(flow.blocks.n, 0);
	assert_int_equal(flow.n_lanes, 0);
}

static void branch_runs_are_counted_by_entered_and_left_blocks(
	void **state _unused_)
{
	/* A loop of two blocks; the first one can skip the second one. */
	const struct branch_run runs[] = {
		{ .first = 0,
			.last = 5 * SIZE,
			.times = 10,
			.cycles = 60,
			.timed = 10,
			.mispredicted = 1 },
		{ .first = 0, .last = 2 * SIZE, .times = 5 },
		/* Runs outside of the function or backwards are ignored. */
		{ .first = 0, .last = 100 * SIZE, .times = 99 },
		{ .first = 4 * SIZE, .last = 0, .times = 99 },
	};
	struct branch_block blocks[3] = { 0 };

	find("..b6...b0r");
	assert_int_equal(flow.blocks.n, 4);
	flow_deinit(&flow);
	array_free(&code.at);
	find("..b6..b0r");
	assert_int_equal(flow.blocks.n, 3);
	branch_blocks_count(&code, &flow, runs, ARRAY_SIZE(runs), blocks);
	assert_int_equal(blocks[0].entered, 15);
	assert_int_equal(blocks[0].taken, 5);
	assert_int_equal(blocks[0].not_taken, 10);
	assert_int_equal(blocks[0].timed, 10);
	assert_true(blocks[0].cycles == 30);
	assert_int_equal(blocks[1].entered, 10);
	assert_int_equal(blocks[1].taken, 10);
	assert_int_equal(blocks[1].mispredicted, 1);
	assert_int_equal(blocks[2].entered, 0);
}

static void a_call_does_not_leave_its_basic_block(void **state _unused_)
{
	const struct branch_run runs[] = {
		{ .first = 0, .last = SIZE, .times = 3 },
		{ .first = 2 * SIZE, .last = 3 * SIZE, .times = 3 },
	};
	struct branch_block blocks[2] = { 0 };

	find(".c.b0r");
	branch_blocks_count(&code, &flow, runs, ARRAY_SIZE(runs), blocks);
	assert_int_equal(blocks[0].entered, 3);
	assert_int_equal(blocks[0].taken, 3);
	assert_int_equal(blocks[0].not_taken, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			a_loop_extends_from_its_head_to_its_jump_back, end),
		cmocka_unit_test_teardown(loops_can_be_nested, end),
		cmocka_unit_test_teardown(
			a_jump_back_from_moved_code_makes_no_loop, end),
		cmocka_unit_test_teardown(
			labels_are_numbered_in_the_order_of_addresses, end),
		cmocka_unit_test_teardown(
			basic_blocks_end_with_jumps_and_before_labels, end),
		cmocka_unit_test_teardown(
			a_jump_into_the_middle_of_an_instruction_has_no_label,
			end),
		cmocka_unit_test_teardown(
			short_jump_arrows_are_nearest_to_the_code, end),
		cmocka_unit_test_teardown(
			overlapping_jump_arrows_are_in_different_lanes, end),
		cmocka_unit_test_teardown(
			jump_arrows_without_a_free_lane_are_not_drawn, end),
		cmocka_unit_test_teardown(
			code_without_instructions_has_no_basic_blocks, end),
		cmocka_unit_test_teardown(
			branch_runs_are_counted_by_entered_and_left_blocks,
			end),
		cmocka_unit_test_teardown(
			a_call_does_not_leave_its_basic_block, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
