/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control flow of a function: jumps within it, blocks between jumps, loops,
 * and the columns of the arrows that show jumps beside the code. All numbers
 * are indexes of instructions.
 */
#ifndef DWELL_REPORT_CODE_FLOW_H
#define DWELL_REPORT_CODE_FLOW_H

#include "report/code/disassemble.h"

#define FLOW_NONE UINT32_MAX
/* Columns of arrows; arrows without a free column are not drawn. */
#define FLOW_LANES_MAX 6u

/* The part of an arrow beside one instruction. */
enum flow_arrow {
	FLOW_BLANK,
	FLOW_PASS,   /* it passes by */
	FLOW_TOP,    /* it begins or ends here and goes down */
	FLOW_BOTTOM, /* it begins or ends here and goes up */
};

struct flow_loop {
	uint32_t head, last; /* .last: the last jump back to .head */
};

struct flow_block {
	uint32_t first, last;
};

/* A zero-initialized struct is empty. */
struct flow {
	uint32_t n; /* instructions */
	struct flow_place {
		uint32_t target; /* target of a jump or branch within the
				    function; or NONE */
		uint32_t label;	 /* label as a jump target, from 1; 0: none */
		uint32_t block;
		uint32_t depth;			/* number of enclosing loops */
		uint8_t arrows[FLOW_LANES_MAX]; /* by lane, the nearest to the
						   code first */
	} * places;				/* owned */
	ARRAY(struct flow_loop) loops;	 /* sorted by head; heads differ */
	ARRAY(struct flow_block) blocks; /* each instruction is in one */
	size_t n_lanes;			 /* number of used lanes */
};

void flow_find(const struct disassembly *code, struct flow *ret);
void flow_deinit(struct flow *flow);

/* Returns the instruction of CODE that contains ADDRESS, or FLOW_NONE. */
uint32_t flow_instruction(const struct disassembly *code, uint64_t address);

#endif
