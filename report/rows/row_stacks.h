/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the stacks that contain a row, and the part of each that belongs to the
 * call tree of the row. Rows with the fewest stacks have lists of these, as
 * many as fit into a bounded memory. For the other rows, all stacks are
 * searched each time.
 */
#ifndef DWELL_REPORT_ROWS_ROW_STACKS_H
#define DWELL_REPORT_ROWS_ROW_STACKS_H

#include "report/rows/hist.h"

struct row_stacks;

/*
 * Prepares the rows of HIST with a period of at least LIMIT. The stacks of a
 * row that was sampled itself have all their callers. The stacks of another row
 * begin with its own frame, the first one in the direction of HIST's prefixes.
 * HIST is borrowed.
 */
struct row_stacks *row_stacks_create(const struct hist *hist, uint64_t limit);
/* STACKS may be NULL. */
void row_stacks_destroy(struct row_stacks *stacks);

/* Stacks of a row with a common part. */
struct row_stack {
	/*
	 * The next frames of the chains up to the end of BRANCH, without the
	 * sampled frame.
	 */
	struct chain part;
	uint32_t branch;
	/*
	 * To be added modulo 2^64: to exclude stacks, they are reported a
	 * second time with negative values.
	 */
	uint64_t period, samples;
};

/*
 * Calls VISIT for all stacks of ROW. The sum counts each stack once.
 * Thread-safe.
 */
typedef void row_stacks_visit_fn(void *data, const struct row_stack *stack);
void row_stacks_visit(const struct row_stacks *stacks, const struct row *row,
	row_stacks_visit_fn *visit, void *data);

#endif
