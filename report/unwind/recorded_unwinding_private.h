/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by recorded_unwinding*.c. Include recorded_unwinding.h first. */
#ifndef DWELL_REPORT_UNWIND_RECORDED_UNWINDING_PRIVATE_H
#define DWELL_REPORT_UNWIND_RECORDED_UNWINDING_PRIVATE_H

#include "common/util/array.h"
#include "report/unwind/address_rules.h"
#include "report/unwind/stitch.h"

struct recorded_unwinding {
	struct reader *reader;	     /* borrowed */
	const struct maps *maps;     /* borrowed */
	struct address_rules *rules; /* owned */
	/* architecture of the recording's 64-bit processes */
	enum unwind_arch arch;
	ARRAY(struct recorded_unwinding_thread *) threads; /* owned */
	/*
	 * The truncated stacks that were completed, sorted by file position of
	 * the sample; filled when first needed.
	 */
	ARRAY(struct recorded_unwinding_completed {
		uint64_t position;
		const struct recorded_unwinding_thread *thread;
		uint32_t cut;
	})
	completed;
	bool is_sorted;
};

/* A process uses one of two ABIs (PERF_SAMPLE_REGS_ABI_*). */
enum { UNWINDING_ABI_32, UNWINDING_ABI_64, UNWINDING_ABIS };

/* One stack copy of a batch (recorded_unwinding_add()). */
struct recorded_unwinding_stack {
	bool is_there, has_registers;
	size_t abi;
	struct address_rules_space code;
	struct unwind_space space;
	struct unwind_memory memory;
	struct unwind_registers registers;
	struct unwind_chain chain;
};

struct recorded_unwinding_thread {
	const struct recorded_unwinding *unwinding;
	struct unwinder
		*unwinders[UNWINDING_ABIS]; /* owned; NULL until needed */
	struct recorded_unwinding_stack stacks[UNWINDING_AT_ONCE];
	size_t n_stacks, n_taken;
	uint64_t *pcs, *slots; /* UNWINDING_CHAIN_MAX elements for each of
	                        * .stacks; owned */
	uint64_t *entries;     /* entries of finished call chains; owned */
	size_t n_entries;
	/*
	 * The current sample's kernel chain, joined with the frame-pointer
	 * chain that is stored behind its stack copy.
	 */
	uint64_t joined[RECORD_SIZE_MAX / sizeof(uint64_t)];
	struct stitch stitch;
	/* The truncated stacks of the thread, by index in .stitch.ends. */
	ARRAY(struct recorded_unwinding_cut_stack {
		uint64_t position;
		bool is_spliced;
	})
	cuts;
	size_t n_own; /* number of entries of the last call chain, without
	               * frames from frame pointers */
	bool is_full; /* frames are not stored: the memory limit is reached, or
	               * this is a second pass */
	struct stack_counts counts;
};

struct recorded_unwinding_thread *recorded_unwinding_make_thread(
	const struct recorded_unwinding *unwinding);
void recorded_unwinding_free_thread(struct recorded_unwinding_thread *thread);

#endif
