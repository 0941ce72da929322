/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with truncated stack copies: they are kept with their frames until
 * all samples were read, and then completed and counted.
 */
#ifndef DWELL_REPORT_SCAN_TRUNCATED_STACKS_H
#define DWELL_REPORT_SCAN_TRUNCATED_STACKS_H

#include "report/scan/stacks.h"
#include "report/unwind/unwinding.h"

/* Zero-initialized it is empty. */
struct truncated_stacks {
	ARRAY(struct truncated_stack {
		struct stack_sample sample; /* its chain is in .entries */
		size_t at;
		uint32_t context;
		struct unwinding_cut cut;
	})
	list;
	ARRAY(uint64_t) entries;
};

/*
 * Adds SAMPLE of CONTEXT, truncated at CUT. Returns false at READER's memory
 * limit.
 */
bool truncated_stacks_add(struct truncated_stacks *truncated,
	struct reader *reader, const struct sample *sample, uint32_t context,
	struct unwinding_cut cut);
/*
 * Counts all samples in STACKS, which defines their contexts, and removes them.
 * Call after unwinding_finish() for THREAD's unwinding.
 */
void truncated_stacks_count(struct truncated_stacks *truncated,
	const struct unwinding_thread *thread, struct stacks *stacks);

#endif
