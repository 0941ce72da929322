/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types for frames of code that has no unwind rules, but belongs to a language runtime,
 * such as compiled Java code. The caller of unwind() provides the function that steps
 * out of such frames (unwind_space.runtime).
 */
#ifndef DWELL_COMMON_UNWIND_RUNTIME_FRAME_H
#define DWELL_COMMON_UNWIND_RUNTIME_FRAME_H

#include "common/util/base.h"

struct unwind_registers;

/* Limit of functions of one frame: a function, and those inlined into it. */
#define RUNTIME_INLINED_MAX 64u

/* A frame. */
struct runtime_frame {
	uint64_t pc, sp, fp;
	/* .pc is a sampled or interrupted pc, not a return address */
	bool is_exact;
	/* all registers if the frame is the sampled one, or NULL */
	const struct unwind_registers *registers;
	/*
	 * Reads the 64-bit word at the stack address ADDRESS, with its value at the
	 * time of the sample. Call it by runtime_load(). The process itself has
	 * changed its stack since.
	 */
	bool (*load)(void *stack, uint64_t address, uint64_t *word_ret);
	void *stack;
};

/*
 * Reads the 64-bit word at the stack address ADDRESS of FRAME. Returns false, with 0 in
 * *RET, if the stack copy does not contain the word and it cannot be read otherwise.
 */
static inline bool runtime_load(
	const struct runtime_frame *frame, uint64_t address, uint64_t *ret)
{
	*ret = 0;
	return frame->load(frame->stack, address, ret);
}

enum runtime_result {
	RUNTIME_FOREIGN, /* the pc is not in code of the runtime */
	RUNTIME_STEPPED, /* the result is the caller */
	RUNTIME_REJECTED, /* the data of the frame or the runtime are not plausible */
};

/* The result of a step. */
struct runtime_step {
	struct runtime_frame caller; /* only .pc, .sp and .fp are used */
	uint64_t slot; /* stack address from which caller.pc was read */
	/* addresses that stand for the functions of the frame; innermost first */
	uint64_t functions[RUNTIME_INLINED_MAX];
	/*
	 * number of .functions; 0: the frame is not shown, unless it is the sampled one
	 */
	size_t n;
};

#endif
