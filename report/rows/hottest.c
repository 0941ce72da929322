/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/hottest.h"

#include "common/util/alloc.h"

/* The samples of a DSO, and one frame in it. */
struct dso_weight {
	uint64_t samples; /* in the DSO, or in functions called from it */
	uint32_t dso;
	struct frame frame;
};

struct dso_weights {
	const struct maps *maps;
	struct dso_weight *by_dso;
	uint32_t *last; /* by DSO: number + 1 of the last stack that counted */
};

/*
 * Returns the DSO + 1 of each frame of PART; 0: in no DSO. The caller owns the
 * array.
 */
static uint32_t *find_frame_dsos(
	const struct dso_weights *weights, const struct stacks *part)
{
	uint32_t *dsos = xcalloc(part->frames.n + 1, sizeof(*dsos));
	size_t i;

	for (i = 0; i < part->frames.n; i++) {
		const struct frame *frame = &part->frames.at[i];
		const struct mapping *mapping =
			maps_find(weights->maps, frame->space, frame->ip);

		if (mapping)
			dsos[i] = mapping->dso + 1;
	}
	return dsos;
}

static void add_stack_weight(struct dso_weights *weights,
	const struct stacks *part, const uint32_t *dsos, uint32_t number)
{
	struct chain chain = stacks_chain(part, number);

	while (!chain_is_empty(&chain)) {
		uint32_t frame = chain_next(&chain), dso = dsos[frame];

		if (!dso || weights->last[dso - 1] == number + 1)
			continue;
		weights->last[dso - 1] = number + 1;
		weights->by_dso[dso - 1].samples +=
			stacks_at(part, number)->samples;
		weights->by_dso[dso - 1].frame = part->frames.at[frame];
	}
}

static void add_part_weights(
	struct dso_weights *weights, const struct stacks *part)
{
	_cleanup_free_ uint32_t *dsos = find_frame_dsos(weights, part);
	uint32_t n = stacks_n(part), i;

	memset(weights->last, 0,
		maps_n_dsos(weights->maps) * sizeof(*weights->last));
	for (i = 0; i < n; i++)
		add_stack_weight(weights, part, dsos, i);
}

static int compare_hottest_dsos(const void *a, const void *b)
{
	const struct dso_weight *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->dso, right->dso);
}

void hottest_resolve(struct resolver *resolver, const struct input *input,
	uint16_t number, const struct scan *scan)
{
	const struct maps *maps = input->survey.maps;
	uint32_t n = maps_n_dsos(maps), i;
	_cleanup_free_ struct dso_weight *by_dso =
		xcalloc(n + 1, sizeof(*by_dso));
	_cleanup_free_ uint32_t *last = xcalloc(n + 1, sizeof(*last));
	struct dso_weights weights = { maps, by_dso, last };

	for (i = 0; i < n; i++)
		by_dso[i].dso = i;
	array_each(&scan->parts, part)
		add_part_weights(&weights, part);
	qsort(by_dso, n, sizeof(*by_dso), compare_hottest_dsos);
	for (i = 0; i < n && by_dso[i].samples; i++) {
		by_dso[i].frame.input = number;
		resolver_find(resolver, &by_dso[i].frame);
	}
}
