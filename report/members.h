/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which stacks a row stands in, and which part of each belongs to its tree. For
 * the rows that stand in the fewest they are listed, as many rows as fit in a
 * bounded memory; for the others, where that would save least, all stacks are
 * searched.
 */
#ifndef DWELL_MEMBERS_H
#define DWELL_MEMBERS_H

#include "report/hist.h"

struct members;

/*
 * Of HIST's rows with at least LIMIT. A row that was sampled itself has all
 * callers; another one begins with its own frame, which is the outermost one
 * where CALLERS_FIRST, or else the innermost. SCAN and HIST are borrowed.
 */
struct members *members_create(const struct scan *scan,
	const struct hist *hist, uint64_t limit, bool callers_first);
/* NULL is fine. */
void members_destroy(struct members *members);

/* PART has no sampled frame, and is not empty; both are borrowed. */
typedef void members_visit_fn(
	void *data, const struct stack *stack, const struct chain *part);
/* Each of ROW's stacks once, in order. By several threads at once. */
void members_visit(const struct members *members, const struct row *row,
	members_visit_fn *visit, void *data);

#endif
