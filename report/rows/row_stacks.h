/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which stacks a row stands in, and which part of each belongs to its tree. For
 * the rows that stand in the fewest they are listed, as many rows as fit in a
 * bounded memory; for the others, where that would save least, all stacks are
 * searched.
 */
#ifndef DWELL_REPORT_ROWS_ROW_STACKS_H
#define DWELL_REPORT_ROWS_ROW_STACKS_H

#include "report/rows/hist.h"

struct members;

/*
 * Of HIST's rows with at least LIMIT. A row that was sampled itself has all
 * callers; another one begins with its own frame, the first one on the way that
 * HIST's prefixes go. HIST is borrowed.
 */
struct members *members_create(const struct hist *hist, uint64_t limit);
/* NULL is fine. */
void members_destroy(struct members *members);

/* Stacks of a row that go on alike. */
struct member {
	/*
	 * What comes next of their chains, until BRANCH branches or ends. There
	 * is no sampled frame in it.
	 */
	struct chain part;
	uint32_t branch;
	/* To be added, modulo 2^64: of some stacks the negative is given, too. */
	uint64_t period, samples;
};

/*
 * All of ROW's, each stack once but for those that are taken away again. By
 * several threads at once.
 */
typedef void members_visit_fn(void *data, const struct member *member);
void members_visit(const struct members *members, const struct row *row,
	members_visit_fn *visit, void *data);

#endif
