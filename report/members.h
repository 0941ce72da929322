/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which stacks a row stands in: for those that stand in the fewest, as many
 * rows as fit in a bounded memory. For the others a list would save least.
 */
#ifndef DWELL_MEMBERS_H
#define DWELL_MEMBERS_H

#include "report/hist.h"

struct members {
	struct members_of {
		uint32_t first, n; /* in .stacks */
		uint32_t last;     /* that was seen, + 1 */
		bool is_listed;
	} *rows;           /* by the row's number */
	uint32_t *stacks;  /* their numbers */
};

/* Of HIST's rows with at least LIMIT; RET is overwritten. */
void members_find(const struct scan *scan, const struct hist *hist,
	uint64_t limit, struct members *ret);
void members_deinit(struct members *members);

/* The numbers of ROW's stacks, in order; NULL if it has no list. */
const uint32_t *members_of(
	const struct members *members, const struct row *row, uint32_t *n_ret);

#endif
