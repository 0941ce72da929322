/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds common beginnings of the stacks of an event, counted from the callers
 * or from the callees. Code that walks all stacks walks a common beginning only
 * once. Histograms and call trees use the common beginnings.
 *
 * A *prefix* is the common beginning of several stacks, a *leaf* is one stack;
 * a *branch* is a prefix or a leaf. The leaves of a prefix are consecutive.
 */
#ifndef DWELL_REPORT_ROWS_STACK_PREFIXES_H
#define DWELL_REPORT_ROWS_STACK_PREFIXES_H

#include "report/scan/scan.h"

/* A branch number with this bit is the number of a leaf. */
#define STACK_PREFIXES_LEAF (UINT32_C(1) << 30)

struct stack_prefix {
	uint64_t period, samples; /* of all stacks with this prefix */
	uint32_t first, end;	  /* range of the leaves of this prefix */
	/*
	 * Number of prefixes inside this prefix, which directly precede this
	 * prefix in struct stack_prefixes.
	 */
	uint32_t below;
	uint32_t size; /* length in bytes of a chain (chain.h) */
};

struct stack_prefixes {
	const struct scan *scan; /* borrowed */
	bool callers_first;
	uint32_t *leaves; /* stack number of each leaf; owned */
	uint32_t n_leaves;
	ARRAY(struct stack_prefix) at; /* the last prefix contains all stacks */
};

/* Selects the stacks and the direction. */
struct stack_prefixes_request {
	uint32_t event;
	bool callers_first;
	bool is_shared; /* search for common beginnings; false: there are only
			   leaves */
};

/*
 * Finds the prefixes of the stacks in SCAN->stacks that are not filtered. The
 * sampled frames of stacks are not part of prefixes.
 */
struct stack_prefixes *stack_prefixes_create(
	const struct scan *scan, const struct stack_prefixes_request *request);
/* PREFIXES may be NULL. */
void stack_prefixes_destroy(struct stack_prefixes *prefixes);

static inline const struct stack *stack_prefixes_stack(
	const struct stack_prefixes *prefixes, uint32_t leaf)
{
	return stacks_at(&prefixes->scan->stacks, prefixes->leaves[leaf]);
}

/* Returns the number of one leaf of BRANCH. */
static inline uint32_t stack_prefixes_leaf_of(
	const struct stack_prefixes *prefixes, uint32_t branch)
{
	return branch & STACK_PREFIXES_LEAF ? branch & ~STACK_PREFIXES_LEAF
					    : prefixes->at.at[branch].first;
}

/* Returns the chain of BRANCH without its first FROM bytes. */
struct chain stack_prefixes_part(
	const struct stack_prefixes *prefixes, uint32_t branch, uint32_t from);

/* Iterates over the branches directly below PREFIX, in any order. */
struct stack_prefixes_visit {
	uint32_t first, end; /* remaining leaves */
	uint32_t prefix,
		least; /* .prefix - 1 is the next prefix; .least is the end */
};

static inline struct stack_prefixes_visit stack_prefixes_visit(
	const struct stack_prefixes *prefixes, uint32_t prefix)
{
	const struct stack_prefix *at = &prefixes->at.at[prefix];

	return (struct stack_prefixes_visit){ at->first, at->end, prefix,
		prefix - at->below };
}

/* Sets *BRANCH_RET to the next branch. Returns false at the end. */
static inline bool stack_prefixes_next(const struct stack_prefixes *prefixes,
	struct stack_prefixes_visit *visit, uint32_t *branch_ret)
{
	const struct stack_prefix *below;

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
	*branch_ret = --visit->end | STACK_PREFIXES_LEAF;
	return true;
}

#endif
