/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What unwinding.c and unwinding_thread.c share. */
#ifndef DWELL_REPORT_UNWIND_UNWINDING_PRIVATE_H
#define DWELL_REPORT_UNWIND_UNWINDING_PRIVATE_H

#include "common/util/array.h"
#include "report/unwind/rules_by_address.h"
#include "report/unwind/stack_stitch.h"
#include "report/unwind/unwound.h"

struct unwinding {
	struct reader *reader; /* borrowed */
	const struct maps *maps; /* borrowed */
	struct codes *codes;   /* owned */
	enum unwind_arch arch; /* of its 64-bit processes */
	ARRAY(struct unwinding_thread *) threads; /* owned */
	/* Stacks that were completed, by position; made when asked for. */
	ARRAY(struct unwinding_completed {
		uint64_t position;
		const struct unwinding_thread *thread;
		uint32_t cut;
	}) completed;
	bool is_sorted;
};

/* What is asked for code. */
struct unwinding_code {
	struct codes *codes;
	uint32_t space;
};

/* A process has one of two ABIs (PERF_SAMPLE_REGS_ABI_*). */
enum { ABI_32, ABI_64, ABIS };

/* One of those that are unwound at the same time. */
struct unwinding_stack {
	bool is_there, has_registers;
	size_t abi;
	struct unwinding_code code;
	struct unwind_space space;
	struct unwind_memory memory;
	struct unwind_registers registers;
	struct unwind_chain chain;
};

struct unwinding_thread {
	const struct unwinding *unwinding;
	struct unwinder *unwinders[ABIS]; /* owned; NULL until needed */
	struct unwinding_stack stacks[UNWINDING_AT_ONCE];
	size_t n_stacks, n_taken;
	uint64_t *pcs, *slots;  /* UNWINDING_CHAIN_MAX of each; owned */
	uint64_t *entries;      /* of finished chains; owned */
	size_t n_entries;
	/* A sample's chain with what stood aside. */
	uint64_t joined[RECORD_SIZE_MAX / sizeof(uint64_t)];
	struct joins joins;
	/* Its cut stacks, by their numbers in JOINS. */
	ARRAY(struct unwinding_cut_stack {
		uint64_t position;
		bool is_spliced;
	}) cuts;
	size_t n_own;           /* of the last chain: without what was spliced */
	bool is_full;           /* nothing more is remembered for joins */
	struct unwound counts;
};

struct unwinding_thread *unwinding_make_thread(
	const struct unwinding *unwinding);
void unwinding_free_thread(struct unwinding_thread *thread);

/* How many entries of SAMPLE's own chain are before its user's part. */
uint64_t unwinding_kernel_part(const struct sample *sample);
/*
 * Where a copy ends, or its rules do, the kernel's own chain by frame pointers
 * may lead on: if it has been at the same place, and as far as there is code.
 * Appends to ENTRIES, which have N, with the mark of where they are from; their
 * new number.
 */
size_t unwinding_splice(const struct unwinding_stack *stack,
	const struct sample *sample, uint64_t *entries, size_t n);
/* SAMPLE has nothing but that chain. False: it has no callers. */
bool unwinding_keep_frames(struct unwinding_thread *thread,
	const struct unwinding_stack *stack, struct sample *sample);

#endif
