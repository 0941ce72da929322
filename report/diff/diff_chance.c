/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/diff/diff_chance.h"

#include "common/util/alloc.h"
#include "report/diff/diff_math.h"

struct count {
	uint64_t samples, period;
};

/* What one side has of everything. */
struct counts {
	struct count *nodes; /* with all below them, once they are added up */
	struct count *self, *total; /* by function */
};

struct finding {
	const struct flame *flame;
	const struct diff_chance_side *sides;
	enum diff_measure measure;
	uint32_t *ends; /* by node: the first that isn't below it any more */
};

static void add(struct count *to, const struct count *more)
{
	to->samples += more->samples;
	to->period += more->period;
}

static void find_ends(struct finding *finding)
{
	const struct flame *flame = finding->flame;
	uint32_t i;

	finding->ends = xcalloc(flame->nodes.n, sizeof(*finding->ends));
	for (i = (uint32_t)flame->nodes.n; i-- > 0;) {
		uint32_t *above = &finding->ends[flame->nodes.at[i].parent];

		finding->ends[i] = MAX(finding->ends[i], i + 1);
		*above = MAX(*above, finding->ends[i]);
	}
}

/* What a thread did but run, it did in the function above. */
static uint32_t function_of(const struct flame *flame, uint32_t node)
{
	uint32_t function = flame->nodes.at[node].function;

	if (flame->functions.at[function].level != FLAME_STATE)
		return function;
	return flame->nodes.at[flame->nodes.at[node].parent].function;
}

/* A recursion counts once. */
static void add_totals(const struct finding *finding, struct counts *counts)
{
	const struct flame *flame = finding->flame;
	uint32_t *until = xcalloc(flame->functions.n, sizeof(*until)), i;

	for (i = 0; i < flame->nodes.n; i++) {
		uint32_t function = flame->nodes.at[i].function;

		if (i < until[function])
			continue;
		add(&counts->total[function], &counts->nodes[i]);
		until[function] = finding->ends[i];
	}
	free(until);
}

static struct counts count(const struct finding *finding, uint32_t event)
{
	const struct flame *flame = finding->flame;
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
		add(&counts.nodes[cell->node], &own);
		add(&counts.self[function_of(flame, cell->node)], &own);
	}
	for (i = (uint32_t)flame->nodes.n; i-- > 1;)
		add(&counts.nodes[flame->nodes.at[i].parent],
			&counts.nodes[i]);
	add_totals(finding, &counts);
	return counts;
}

static void free_counts(struct counts *counts)
{
	free(counts->nodes);
	free(counts->self);
	free(counts->total);
}

static struct diff_doubt doubt_of(const struct finding *finding,
	const struct count *old, const struct count *new)
{
	const struct diff_chance_side *sides = finding->sides;
	bool is_rate = finding->measure == DIFF_RATE;
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
	if (finding->measure == DIFF_SHARE)
		return diff_math_doubt_shares(&parts[0], &parts[1]);
	return diff_math_doubt_periods(&parts[0],
		is_rate ? sides[0].seconds : 1, &parts[1],
		is_rate ? sides[1].seconds : 1);
}

static void put_bit(struct strbuf *bits, size_t i, bool is_set)
{
	if (i % 8 == 0)
		strbuf_putc(bits, 0);
	if (is_set)
		bits->at[i / 8] = (char)(bits->at[i / 8] | 1 << i % 8);
}

/* Of N things, of which some have samples in OLD or NEW. */
static void find(const struct finding *finding, const struct count *old,
	const struct count *new, size_t n, struct strbuf *ret)
{
	double *p = xcalloc(n + 1, sizeof(*p)), limit;
	ARRAY(double) telling = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		struct diff_doubt doubt = doubt_of(finding, &old[i], &new[i]);

		p[i] = doubt.p;
		if (doubt.can_tell)
			*array_push(&telling) = doubt.p;
	}
	limit = diff_math_limit(telling.at, telling.n);
	for (i = 0; i < n; i++)
		put_bit(ret, i, !(p[i] <= limit));
	array_free(&telling);
	free(p);
}

void diff_chance_find(const struct flame *flame,
	const struct diff_chance_side sides[2], enum diff_measure measure,
	struct diff_chance *ret)
{
	struct finding finding = {
		.flame = flame, .sides = sides, .measure = measure
	};
	struct counts old, new;

	find_ends(&finding);
	old = count(&finding, sides[0].event);
	new = count(&finding, sides[1].event);
	find(&finding, old.nodes, new.nodes, flame->nodes.n, &ret->nodes);
	find(&finding, old.self, new.self, flame->functions.n, &ret->self);
	find(&finding, old.total, new.total, flame->functions.n, &ret->total);
	free_counts(&old);
	free_counts(&new);
	free(finding.ends);
}

void diff_chance_deinit(struct diff_chance *chance)
{
	strbuf_free(&chance->nodes);
	strbuf_free(&chance->self);
	strbuf_free(&chance->total);
}
