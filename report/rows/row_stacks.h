/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the stacks that contain a row, and the part of each stack that belongs
 * to the call tree of the row. The rows with the fewest stacks have lists of
 * their stacks, as many as fit into a bounded memory. For the other rows, all
 * stacks are searched each time.
 */
#ifndef DWELL_REPORT_ROWS_ROW_STACKS_H
#define DWELL_REPORT_ROWS_ROW_STACKS_H

#include "report/rows/hist.h"

struct row_stacks;

/*
 * Prepares the rows of HIST with a period of at least LIMIT. A stack whose
 * sampled frame is in the row is used with all callers. Another stack of the
 * row begins with the row's own frame, the first one in the direction of
 * HIST->prefixes. HIST is borrowed.
 */
struct row_stacks *row_stacks_create(const struct hist *hist, uint64_t limit);
/* STACKS may be NULL. */
void row_stacks_destroy(struct row_stacks *stacks);

/* One or more stacks of a row that have a common part. */
struct row_stack {
	/*
	 * The frames of the stacks up to the end of BRANCH (stack_prefixes.h),
	 * without the sampled frame.
	 */
	struct chain part;
	uint32_t branch;
	/*
	 * Sums of the stacks, to be added modulo 2^64: to exclude stacks, the
	 * stacks are reported a second time with negative sums.
	 */
	uint64_t period, samples;
};

/*
 * Calls VISIT for all stacks of ROW. The sum of all calls counts each stack
 * once. Thread-safe.
 */
typedef void row_stacks_visit_fn(void *data, const struct row_stack *stack);
void row_stacks_visit(const struct row_stacks *stacks, const struct row *row,
	row_stacks_visit_fn *visit, void *data);

#endif
