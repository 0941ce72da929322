/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/diff/diff_chance.h"

#include "common/util/alloc.h"
#include "report/diff/diff_math.h"

struct count {
	uint64_t samples, period;
};

/* The counts of one of the two recordings. */
struct counts {
	struct count *nodes;	    /* by node, callees included */
	struct count *self, *total; /* by function; .total: callees included */
};

struct chance_search {
	const struct flame *flame;
	const struct diff_chance_side *sides;
	enum style_diff_measure measure;
	uint32_t *ends; /* by node: the first node after the node's subtree */
};

static void add_count(struct count *to, const struct count *more)
{
	to->samples += more->samples;
	to->period += more->period;
}

static struct counts count_event(
	const struct chance_search *search, uint32_t event)
{
	const struct flame *flame = search->flame;
	size_t n = flame->functions.n;
	struct counts counts = {
		.nodes = xcalloc(flame->nodes.n, sizeof(*counts.nodes)),
		.self = xcalloc(n, sizeof(*counts.self)),
		.total = xcalloc(n, sizeof(*counts.total)),
	};
	uint32_t i;

	array_each(&flame->cells, cell) {
		struct count own = { cell->samples, cell->period };

		if (cell->event != event)
			continue;
		add_count(&counts.nodes[cell->node], &own);
		/*
		 * Samples of a thread state are added to the function of the
		 * parent node.
		 */
		uint32_t function = flame->nodes.at[cell->node].function;
		if (flame->functions.at[function].level == FLAME_STATE)
			function =
				flame->nodes
					.at[flame->nodes.at[cell->node].parent]
					.function;
		add_count(&counts.self[function], &own);
	}
	for (i = (uint32_t)flame->nodes.n; i-- > 1;)
		add_count(&counts.nodes[flame->nodes.at[i].parent],
			&counts.nodes[i]);
	/* Recursive calls of a function count once in its total. */
	uint32_t *until = xcalloc(n, sizeof(*until));

	for (i = 0; i < flame->nodes.n; i++) {
		uint32_t function = flame->nodes.at[i].function;

		if (i < until[function])
			continue;
		add_count(&counts.total[function], &counts.nodes[i]);
		until[function] = search->ends[i];
	}
	free(until);
	return counts;
}

static void free_counts(struct counts *counts)
{
	free(counts->nodes);
	free(counts->self);
	free(counts->total);
}

static struct diff_test test_counts(const struct chance_search *search,
	const struct count *old, const struct count *new)
{
	const struct diff_chance_side *sides = search->sides;
	bool is_rate = search->measure == STYLE_DIFF_RATE;
	struct diff_part parts[2] = {
		{ .samples = (double)old->samples,
			.period = (double)old->period },
		{ .samples = (double)new->samples,
			.period = (double)new->period },
	};
	size_t i;

	for (i = 0; i < 2; i++) {
		parts[i].all_samples = (double)sides[i].samples;
		parts[i].all_period = (double)sides[i].period;
	}
	if (search->measure == STYLE_DIFF_SHARE)
		return diff_math_test_shares(&parts[0], &parts[1]);
	return diff_math_test_periods(&parts[0], is_rate ? sides[0].seconds : 1,
		&parts[1], is_rate ? sides[1].seconds : 1);
}

/*
 * Appends one bit for each of N counts in OLD and NEW: 1 if the difference is
 * not significant.
 */
static void find_chance_bits(const struct chance_search *search,
	const struct count *old, const struct count *new, size_t n,
	struct strbuf *ret)
{
	double *p = xcalloc(n + 1, sizeof(*p)), limit;
	ARRAY(double) testable_p = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		struct diff_test test = test_counts(search, &old[i], &new[i]);

		p[i] = test.p;
		if (test.can_be_significant)
			*array_push(&testable_p) = test.p;
	}
	limit = diff_math_limit(testable_p.at, testable_p.n);
	for (i = 0; i < n; i++) {
		if (i % 8 == 0)
			strbuf_putc(ret, 0);
		if (!(p[i] <= limit))
			ret->at[i / 8] = (char)(ret->at[i / 8] | 1 << i % 8);
	}
	array_free(&testable_p);
	free(p);
}

void diff_chance_find(const struct flame *flame,
	const struct diff_chance_side sides[2], enum style_diff_measure measure,
	struct diff_chance *ret)
{
	struct chance_search search = {
		.flame = flame, .sides = sides, .measure = measure
	};
	struct counts old, new;
	uint32_t i;

	search.ends = xcalloc(flame->nodes.n, sizeof(*search.ends));
	for (i = (uint32_t)flame->nodes.n; i-- > 0;) {
		uint32_t *above = &search.ends[flame->nodes.at[i].parent];

		search.ends[i] = MAX(search.ends[i], i + 1);
		*above = MAX(*above, search.ends[i]);
	}
	old = count_event(&search, sides[0].event);
	new = count_event(&search, sides[1].event);
	find_chance_bits(
		&search, old.nodes, new.nodes, flame->nodes.n, &ret->nodes);
	find_chance_bits(
		&search, old.self, new.self, flame->functions.n, &ret->self);
	find_chance_bits(
		&search, old.total, new.total, flame->functions.n, &ret->total);
	free_counts(&old);
	free_counts(&new);
	free(search.ends);
}

void diff_chance_deinit(struct diff_chance *chance)
{
	strbuf_free(&chance->nodes);
	strbuf_free(&chance->self);
	strbuf_free(&chance->total);
}
