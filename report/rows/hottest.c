/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/hottest.h"

#include "common/util/alloc.h"

/* A DSO, and some frame in it. */
struct heat {
	uint64_t samples; /* in it, or called from it */
	uint32_t dso;
	struct frame frame;
};

struct heats {
	const struct maps *maps;
	struct heat *by_dso;
	uint32_t *last; /* by DSO: the last stack that it was in, + 1 */
};

/* The DSO of each frame of PART, + 1; 0: it is in none. */
static uint32_t *find_dsos(const struct heats *heats, const struct stacks *part)
{
	uint32_t *dsos = xcalloc(part->frames.n + 1, sizeof(*dsos));
	size_t i;

	for (i = 0; i < part->frames.n; i++) {
		const struct frame *frame = &part->frames.at[i];
		const struct mapping *mapping =
			maps_find(heats->maps, frame->space, frame->ip);

		if (mapping)
			dsos[i] = mapping->dso + 1;
	}
	return dsos;
}

static void add_stack(struct heats *heats, const struct stacks *part,
	const uint32_t *dsos, uint32_t number)
{
	struct chain chain = stacks_chain(part, number);

	while (!chain_is_empty(&chain)) {
		uint32_t frame = chain_next(&chain), dso = dsos[frame];

		if (!dso || heats->last[dso - 1] == number + 1)
			continue;
		heats->last[dso - 1] = number + 1;
		heats->by_dso[dso - 1].samples +=
			stacks_at(part, number)->samples;
		heats->by_dso[dso - 1].frame = part->frames.at[frame];
	}
}

static void add_part(struct heats *heats, const struct stacks *part)
{
	_cleanup_free_ uint32_t *dsos = find_dsos(heats, part);
	uint32_t n = stacks_n(part), i;

	memset(heats->last, 0, maps_n_dsos(heats->maps) * sizeof(*heats->last));
	for (i = 0; i < n; i++)
		add_stack(heats, part, dsos, i);
}

static int compare_heats(const void *a, const void *b)
{
	const struct heat *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->dso, right->dso);
}

void hottest_resolve(struct resolver *resolver, const struct input *input,
	uint16_t number, const struct scan *scan)
{
	const struct maps *maps = input->survey.maps;
	uint32_t n = maps_n_dsos(maps), i;
	_cleanup_free_ struct heat *by_dso = xcalloc(n + 1, sizeof(*by_dso));
	_cleanup_free_ uint32_t *last = xcalloc(n + 1, sizeof(*last));
	struct heats heats = { maps, by_dso, last };

	for (i = 0; i < n; i++)
		by_dso[i].dso = i;
	array_each(&scan->parts, part)
		add_part(&heats, part);
	qsort(by_dso, n, sizeof(*by_dso), compare_heats);
	for (i = 0; i < n && by_dso[i].samples; i++) {
		by_dso[i].frame.input = number;
		resolver_find(resolver, &by_dso[i].frame);
	}
}
