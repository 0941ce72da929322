/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the return address of a sampled frame of V8 while the frame pointer is not set:
 * in the first and last instructions of a function, and in builtins without a frame. The
 * input is the machine code around the pc. A word is accepted as a return address only
 * if it follows a call instruction.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_EDGE_H
#define DWELL_RECORD_RUNTIMES_V8_V8_EDGE_H

#include "record/runtimes/interface/runtime.h"
#include "record/runtimes/v8/v8_builtins.h"

enum v8_edge_kind {
	V8_EDGE_NONE,  /* rbp is the frame pointer of the frame */
	V8_EDGE_ENTRY, /* before the frame was made */
	V8_EDGE_EXIT,  /* after the frame was removed */
};

/* The code of a frame. */
struct v8_edge_code {
	const struct v8_builtins *builtins; /* of the process */
	struct process_memory *memory;
	uint64_t start, end; /* addresses of the function */
	uint64_t pc;
	/* the builtin, or NULL: compiled JavaScript */
	const struct v8_builtin *builtin;
	bool is_baseline; /* compiled by the baseline compiler */
};

/*
 * Returns the state of FRAME, the sampled frame of CODE. If the result is not
 * V8_EDGE_NONE, sets *RET to the caller, and *SLOT_RET to the stack address of the
 * return address.
 */
enum v8_edge_kind v8_edge_find(const struct v8_edge_code *code,
	const struct runtime_frame *frame, struct runtime_frame *ret,
	uint64_t *slot_ret);

#endif
