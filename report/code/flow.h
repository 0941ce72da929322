/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control flow of a function: jumps within the function, blocks between
 * jumps, loops, and the arrows that show jumps beside the code. An instruction
 * is identified by its index in the disassembly.
 */
#ifndef DWELL_REPORT_CODE_FLOW_H
#define DWELL_REPORT_CODE_FLOW_H

#include "report/code/disassembly.h"

#define FLOW_NONE UINT32_MAX
/*
 * Limit of lanes, the columns of jump arrows. An arrow without a free lane is
 * not drawn.
 */
#define FLOW_LANES_MAX 6u

/* The part of an arrow beside one instruction. */
enum flow_arrow {
	FLOW_BLANK,
	FLOW_PASS,   /* the arrow passes by */
	FLOW_TOP,    /* the arrow begins or ends here and goes down */
	FLOW_BOTTOM, /* the arrow begins or ends here and goes up */
};

struct flow_loop {
	uint32_t head, last; /* .head: first instruction; .last: the last jump
				back to .head */
};

struct flow_block {
	uint32_t first, last;
};

/* A zero-initialized struct is empty. */
struct flow {
	uint32_t n; /* number of instructions */
	struct flow_place {
		uint32_t target; /* target of the jump or branch within the
				    function; or FLOW_NONE */
		uint32_t label;	 /* label number of a jump target, from 1; 0: no
				    jump target */
		uint32_t block;
		uint32_t depth;			/* number of enclosing loops */
		uint8_t arrows[FLOW_LANES_MAX]; /* by lane; lane 0 is nearest to
						   the code */
	} * places;				/* one element per instruction;
						   owned */
	ARRAY(struct flow_loop) loops;	 /* sorted by .head; heads differ */
	ARRAY(struct flow_block) blocks; /* each instruction is in one block */
	size_t n_lanes;			 /* number of lanes that arrows use */
};

void flow_find(const struct disassembly *code, struct flow *ret);
void flow_deinit(struct flow *flow);

/*
 * Returns the index of the instruction in CODE that contains ADDRESS, or
 * FLOW_NONE.
 */
uint32_t flow_instruction(const struct disassembly *code, uint64_t address);

#endif
