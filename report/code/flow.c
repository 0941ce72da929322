/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/flow.h"

#include "common/util/alloc.h"

/*
 * Limit of the length of a jump arrow, in instructions. Longer arrows are not
 * drawn, because they are hard to follow.
 */
#define ARROW_MAX 400u
/* Limit of instructions visited to find loops. */
#define WORK_MAX 20000000u

uint32_t flow_instruction(const struct disassembly *code, uint64_t address)
{
	size_t i = array_count_before(
		&code->at, instruction, instruction->address <= address);

	if (!i ||
		address - code->at.at[i - 1].address >= code->at.at[i - 1].size)
		return FLOW_NONE;
	return (uint32_t)i - 1;
}

static bool is_jump_or_branch(const struct instruction *instruction)
{
	return instruction->kind == INSTRUCTION_JUMP ||
		instruction->kind == INSTRUCTION_BRANCH;
}

static int compare_loops(const void *a, const void *b)
{
	const struct flow_loop *left = a, *right = b;

	if (left->head != right->head)
		return COMPARE(left->head, right->head);
	return COMPARE(right->last, left->last);
}

/*
 * Returns whether LOOP, the code between a jump back and the jump's target, is
 * a loop: the code leads from the target to the jump. Rarely executed code that
 * compilers move behind a function also jumps back, but is no loop. IS_REACHED
 * has room for all instructions.
 */
static bool is_flow_loop(const struct disassembly *code,
	const struct flow *flow, const struct flow_loop *loop, bool *is_reached)
{
	uint32_t i, target;

	memset(is_reached + loop->head, 0, loop->last - loop->head + 2);
	is_reached[loop->head] = true;
	for (i = loop->head; i < loop->last; i++) {
		if (!is_reached[i])
			continue;
		target = flow->places[i].target;
		if (code->at.at[i].kind != INSTRUCTION_JUMP &&
			code->at.at[i].kind != INSTRUCTION_RETURN)
			is_reached[i + 1] = true;
		if (target > i && target <= loop->last)
			is_reached[target] = true;
	}
	return is_reached[loop->last];
}

/*
 * Finds the loops, and the loop depth of each instruction. Several jumps back
 * to one target are one loop.
 */
static void find_flow_loops(const struct disassembly *code, struct flow *flow)
{
	_cleanup_free_ bool *is_reached = xcalloc(flow->n + 2, 1);
	int64_t *change = xcalloc(flow->n + 1, sizeof(*change)), depth = 0;
	uint64_t work = 0;
	size_t kept = 0, i;

	for (i = 0; i < flow->n; i++) {
		struct flow_loop loop = { flow->places[i].target, (uint32_t)i };

		if (loop.head > i)
			continue;
		work += i - loop.head;
		if (work <= WORK_MAX &&
			is_flow_loop(code, flow, &loop, is_reached))
			*array_push(&flow->loops) = loop;
	}
	array_sort(&flow->loops, compare_loops);
	for (i = 0; i < flow->loops.n; i++)
		if (!i ||
			flow->loops.at[i].head != flow->loops.at[kept - 1].head)
			flow->loops.at[kept++] = flow->loops.at[i];
	flow->loops.n = kept;
	array_each(&flow->loops, loop) {
		change[loop->head]++;
		change[loop->last + 1]--;
	}
	for (i = 0; i < flow->n; i++)
		flow->places[i].depth = (uint32_t)(depth += change[i]);
	free(change);
}

/* --- arrows --------------------------------------------------------------- */

struct arrow {
	uint32_t first, last;
};

/* Sorts short arrows first, which are then drawn nearest to the code. */
static int compare_arrows(const void *a, const void *b)
{
	const struct arrow *left = a, *right = b;
	uint32_t left_size = left->last - left->first;
	uint32_t right_size = right->last - right->first;

	if (left_size != right_size)
		return COMPARE(left_size, right_size);
	return COMPARE(left->first, right->first);
}

static void draw_arrows(struct flow *flow)
{
	ARRAY(struct arrow) arrows = { 0 };
	uint32_t i;

	for (i = 0; i < flow->n; i++) {
		uint32_t target = flow->places[i].target;
		struct arrow arrow = { MIN(i, target), MAX(i, target) };

		if (target != FLOW_NONE && target != i &&
			arrow.last - arrow.first <= ARROW_MAX)
			*array_push(&arrows) = arrow;
	}
	array_sort(&arrows, compare_arrows);
	array_each(&arrows, arrow) {
		size_t lane;

		/* Find a lane that is free beside all instructions that ARROW passes. */
		for (lane = 0; lane < FLOW_LANES_MAX; lane++) {
			for (i = arrow->first; i <= arrow->last &&
				!flow->places[i].arrows[lane];)
				i++;
			if (i > arrow->last)
				break;
		}
		if (lane == FLOW_LANES_MAX)
			continue;
		for (i = arrow->first; i <= arrow->last; i++)
			flow->places[i].arrows[lane] = FLOW_PASS;
		flow->places[arrow->first].arrows[lane] = FLOW_TOP;
		flow->places[arrow->last].arrows[lane] = FLOW_BOTTOM;
		flow->n_lanes = MAX(flow->n_lanes, lane + 1);
	}
	array_free(&arrows);
}

void flow_find(const struct disassembly *code, struct flow *ret)
{
	*ret = (struct flow){ .n = (uint32_t)code->at.n };
	ret->places = xcalloc(code->at.n + 1, sizeof(*ret->places));
	/*
	 * Set the targets and labels of jumps within the function. Jumps into
	 * the middle of an instruction are left out, because they cannot be
	 * shown.
	 */
	uint32_t i, label = 0;

	for (i = 0; i < ret->n; i++) {
		const struct instruction *jump = &code->at.at[i];
		uint32_t target = FLOW_NONE;

		if (is_jump_or_branch(jump) && jump->has_target)
			target = flow_instruction(code, jump->target);
		if (target != FLOW_NONE &&
			code->at.at[target].address != jump->target)
			target = FLOW_NONE;
		ret->places[i].target = target;
		if (target != FLOW_NONE)
			ret->places[target].label = 1;
	}
	for (i = 0; i < ret->n; i++)
		if (ret->places[i].label)
			ret->places[i].label = ++label;
	bool is_first = true;

	for (i = 0; i < ret->n; i++) {
		const struct instruction *at = &code->at.at[i];

		if (is_first || ret->places[i].label)
			array_push(&ret->blocks)->first = i;
		ret->blocks.at[ret->blocks.n - 1].last = i;
		ret->places[i].block = (uint32_t)ret->blocks.n - 1;
		is_first =
			is_jump_or_branch(at) || at->kind == INSTRUCTION_RETURN;
	}
	find_flow_loops(code, ret);
	draw_arrows(ret);
}

void flow_deinit(struct flow *flow)
{
	free(flow->places);
	array_free(&flow->loops);
	array_free(&flow->blocks);
}
