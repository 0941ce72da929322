/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How control flows through a function's instructions: which jumps stay within
 * it, the blocks between them, the loops that they make, and where arrows that
 * show them may stand beside the code. All numbers are of instructions.
 */
#ifndef DWELL_REPORT_CODE_FLOW_H
#define DWELL_REPORT_CODE_FLOW_H

#include "report/code/disassemble.h"

#define FLOW_NONE UINT32_MAX
/* Columns of arrows; what finds no place in them isn't drawn. */
#define FLOW_LANES_MAX 6u

/* What an arrow's column shows beside one instruction. */
enum flow_arrow {
	FLOW_BLANK,
	FLOW_PASS,     /* it goes by */
	FLOW_TOP,      /* it begins or ends here, and goes down */
	FLOW_BOTTOM,   /* it begins or ends here, and goes up */
};

struct flow_loop {
	uint32_t head, last; /* the jump back, or the last of several */
};

struct flow_block {
	uint32_t first, last;
};

/* A zeroed one is empty. */
struct flow {
	uint32_t n; /* instructions */
	struct flow_place {
		uint32_t target; /* of a jump or branch within; or NONE */
		uint32_t label;  /* what jumps here call it, from 1; 0: none */
		uint32_t block;
		uint32_t depth;  /* of loops that it is in */
		uint8_t arrows[FLOW_LANES_MAX]; /* the nearest one first */
	} *places; /* owned */
	ARRAY(struct flow_loop) loops;   /* by their heads, which differ */
	ARRAY(struct flow_block) blocks; /* all instructions are in one */
	size_t n_lanes; /* those that are used */
};

void flow_find(const struct disassembly *code, struct flow *ret);
void flow_deinit(struct flow *flow);

/* The instruction of CODE that ADDRESS is in; NONE: it is outside. */
uint32_t flow_instruction(const struct disassembly *code, uint64_t address);

#endif
