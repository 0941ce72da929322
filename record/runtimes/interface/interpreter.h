/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of an interpreter. An interpreter is a language runtime that keeps the
 * frames of the language in a linked list, and not on the native stack. The BPF program
 * copies the list at the sample (struct chain_linked). The recorder names the frames
 * later, and puts them before the native frames that interpreted them.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_INTERPRETER_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_INTERPRETER_H

#include "common/util/address_ranges.h"
#include "record/bpf/chain_record.h"
#include "record/runtimes/interface/process_memory.h"
#include "record/runtimes/interface/runtime_functions.h"

/* Limit of the address ranges of the native function that interprets. */
#define INTERPRETER_RANGES_MAX 4u

/*
 * What the recorder needs to know of an interpreter in a process. It is the first member
 * of the state of the runtime (struct runtime_ops).
 */
struct interpreter {
	struct chain_runtime list; /* how the BPF program finds the frames */
	/* The native function that interprets: addresses in the process. */
	struct address_range ranges[INTERPRETER_RANGES_MAX];
	size_t n_ranges;
	/*
	 * Each call of the native function has a group of frames in the list, even if none of
	 * them is shown.
	 */
	bool has_hidden_groups;
};

/* A frame of the language. */
struct interpreter_frame {
	/*
	 * Stands for the function and the line (runtime_functions.h); 0: the
	 * frame belongs to the interpreter, and is not shown.
	 */
	uint64_t address;
	/*
	 * The next frame was interpreted by another call of the native
	 * function.
	 */
	bool ends_group;
};

struct interpreter_ops {
	/*
	 * .name reads the process for each new instruction, not only for each new
	 * function: the tables of lines are not kept.
	 */
	bool reads_lines;
	/*
	 * Reads the frames of the thread TID from the running process: they can
	 * be later than a sample. Used without BPF; NULL: only BPF finds the
	 * frames. Returns the number of frames in RET, at most CHAIN_LINKED_MAX.
	 */
	size_t (*read)(const void *state, struct process_memory *memory,
		uint32_t tid, struct chain_linked *ret);
	/*
	 * Names FRAME. Adds its function to FUNCTIONS. Returns false if the
	 * data of the frame are not plausible: RET is set, but the function is
	 * an unknown one.
	 */
	bool (*name)(void *state, struct process_memory *memory,
		struct runtime_functions *functions,
		const struct chain_linked *frame,
		struct interpreter_frame *ret);
};

#endif
