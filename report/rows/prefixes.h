/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of an event by what they begin with, from callers or from callees:
 * what many begin with alike is walked once for all of them. For rows, and for
 * their call trees.
 *
 * A *prefix* is what several stacks have in common, a *leaf* is one stack; a
 * *branch* is one of either. The leaves of a prefix stand side by side.
 */
#ifndef DWELL_REPORT_ROWS_PREFIXES_H
#define DWELL_REPORT_ROWS_PREFIXES_H

#include "report/scan/scan.h"

/* This and up are leaves: the number of one, or-ed. */
#define PREFIXES_LEAF (UINT32_C(1) << 30)

struct prefix {
	uint64_t period, samples; /* of all its stacks */
	uint32_t first, end;      /* its leaves */
	uint32_t below;           /* prefixes in it, which stand before it */
	uint32_t size;            /* bytes of chains that are alike */
};

struct prefixes {
	const struct scan *scan;     /* borrowed */
	bool callers_first;
	uint32_t *leaves;            /* the stack of each; owned */
	uint32_t n_leaves;
	ARRAY(struct prefix) at;     /* the last one is all stacks' */
};

/* What is asked of one event's stacks. */
struct prefixes_request {
	uint32_t event;
	bool callers_first;
	bool is_shared; /* or else no two of them begin alike */
};

/*
 * Of the stacks that aren't filtered, without their sampled frames; SCAN has
 * one table of them.
 */
struct prefixes *prefixes_create(
	const struct scan *scan, const struct prefixes_request *request);
/* NULL is fine. */
void prefixes_destroy(struct prefixes *prefixes);

static inline const struct stack *prefixes_stack(
	const struct prefixes *prefixes, uint32_t leaf)
{
	return stacks_at(&prefixes->scan->stacks, prefixes->leaves[leaf]);
}

/* Some leaf of BRANCH. */
static inline uint32_t prefixes_leaf_of(
	const struct prefixes *prefixes, uint32_t branch)
{
	return branch & PREFIXES_LEAF ? branch & ~PREFIXES_LEAF
				      : prefixes->at.at[branch].first;
}

/* What lies between what BRANCH begins with, FROM bytes of it, and its end. */
struct chain prefixes_part(
	const struct prefixes *prefixes, uint32_t branch, uint32_t from);

/* The branches right below PREFIX, in any order. */
struct prefixes_visit {
	uint32_t first, end; /* leaves that are left */
	uint32_t prefix, least; /* the next prefix is below this one */
};

static inline struct prefixes_visit prefixes_visit(
	const struct prefixes *prefixes, uint32_t prefix)
{
	const struct prefix *at = &prefixes->at.at[prefix];

	return (struct prefixes_visit){ at->first, at->end, prefix,
		prefix - at->below };
}

/* False: there are no more. */
static inline bool prefixes_next(const struct prefixes *prefixes,
	struct prefixes_visit *visit, uint32_t *branch_ret)
{
	const struct prefix *below;

	if (visit->first == visit->end)
		return false;
	if (visit->prefix > visit->least) {
		below = &prefixes->at.at[visit->prefix - 1];
		if (below->end == visit->end) {
			*branch_ret = --visit->prefix;
			visit->prefix -= below->below;
			visit->end = below->first;
			return true;
		}
	}
	*branch_ret = --visit->end | PREFIXES_LEAF;
	return true;
}

#endif
