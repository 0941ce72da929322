/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples whose stack is longer than its copy: they wait with what they have of
 * it until all others were seen, and are counted then.
 */
#ifndef DWELL_REPORT_SCAN_TRUNCATED_STACKS_H
#define DWELL_REPORT_SCAN_TRUNCATED_STACKS_H

#include "report/scan/stacks.h"
#include "report/unwind/unwinding.h"

/* A zeroed one is empty. */
struct cuts {
	ARRAY(struct cut {
		struct stack_sample sample; /* its chain is in .entries */
		size_t at;
		uint32_t context;
		struct unwinding_cut cut;
	}) list;
	ARRAY(uint64_t) entries;
};

/* SAMPLE of CONTEXT waits, which is CUT. False: READER affords no more. */
bool cuts_add(struct cuts *cuts, struct reader *reader,
	const struct sample *sample, uint32_t context, struct unwinding_cut cut);
/*
 * Counts them all in STACKS, which their contexts are of, and forgets them.
 * After unwinding_finish() of what THREAD is of.
 */
void cuts_count(struct cuts *cuts, const struct unwinding_thread *thread,
	struct stacks *stacks);

#endif
