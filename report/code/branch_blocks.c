/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/branch_blocks.h"

struct run_counting {
	const struct disassembly *code;
	const struct flow *flow;
	const struct branch_run *run;
	uint32_t first, last; /* its instructions */
	struct branch_block *blocks;
};

/* Counts the end of block NUMBER. A call does not end a block. */
static void count_block_end(
	const struct run_counting *counting, uint32_t number)
{
	const struct flow_block *at = &counting->flow->blocks.at[number];
	uint8_t kind = counting->code->at.at[at->last].kind;
	struct branch_block *block = &counting->blocks[number];

	if (counting->last < at->last)
		return;
	if (counting->last == at->last && kind != INSTRUCTION_CALL) {
		block->taken += counting->run->times;
		block->mispredicted += counting->run->mispredicted;
	} else if (counting->last > at->last && kind == INSTRUCTION_BRANCH) {
		block->not_taken += counting->run->times;
	}
}

/*
 * Each of several blocks gets a part of the cycles, by its number of
 * instructions.
 */
static void count_block_run(
	const struct run_counting *counting, uint32_t number)
{
	const struct flow_block *at = &counting->flow->blocks.at[number];
	const struct branch_run *run = counting->run;
	struct branch_block *block = &counting->blocks[number];
	uint32_t first = MAX(counting->first, at->first);
	uint32_t last = MIN(counting->last, at->last);

	block->cycles += (double)run->cycles * (last - first + 1) /
		(counting->last - counting->first + 1);
	/* A run that begins behind a call does not enter the block again. */
	if (first == at->first) {
		block->entered += run->times;
		block->timed += run->timed;
	}
	count_block_end(counting, number);
}

void branch_blocks_count(const struct disassembly *code,
	const struct flow *flow, const struct branch_run *runs, size_t n,
	struct branch_block *ret)
{
	uint64_t start = code->at.n ? code->at.at[0].address : 0;
	size_t i;

	for (i = 0; i < n; i++) {
		struct run_counting counting = { code, flow, &runs[i],
			flow_instruction(code, start + runs[i].first),
			flow_instruction(code, start + runs[i].last), ret };
		uint32_t block;

		if (counting.first == FLOW_NONE || counting.last == FLOW_NONE ||
			counting.first > counting.last)
			continue;
		for (block = flow->places[counting.first].block;
			block <= flow->places[counting.last].block; block++)
			count_block_run(&counting, block);
	}
}
