/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/resolve/resolve_scan.h"

#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "report/util/string_table.h"

/* --- the hottest DSOs -------------------------------------------------- */

/* The number of samples of a DSO, and one frame in the DSO. */
struct dso_weight {
	uint64_t samples; /* in the DSO, or in functions called from the DSO */
	uint32_t dso;
	struct frame frame;
};

static int compare_hottest_dsos(const void *a, const void *b)
{
	const struct dso_weight *left = a, *right = b;

	if (left->samples != right->samples)
		return COMPARE(right->samples, left->samples);
	return COMPARE(left->dso, right->dso);
}

void resolve_scan_hottest(struct resolver *resolver, const struct input *input,
	uint16_t number, const struct scan *scan)
{
	const struct maps *maps = input->survey.maps;
	uint32_t n = maps_n_dsos(maps), i;
	_cleanup_free_ struct dso_weight *by_dso =
		xcalloc(n + 1, sizeof(*by_dso));
	/* by DSO: number + 1 of the last counted stack */
	_cleanup_free_ uint32_t *last = xcalloc(n + 1, sizeof(*last));

	for (i = 0; i < n; i++)
		by_dso[i].dso = i;
	array_each(&scan->parts, part) {
		_cleanup_free_ const struct mapping **mappings =
			xcalloc(part->frames.n + 1, sizeof(*mappings));
		size_t j;

		for (j = 0; j < part->frames.n; j++)
			mappings[j] = maps_find(maps, part->frames.at[j].space,
				part->frames.at[j].ip);
		memset(last, 0, n * sizeof(*last));
		for (i = 0; i < stacks_n(&part->table); i++) {
			struct chain_raw chain = stacks_raw_chain(part, i);

			while (!chain_raw_is_empty(&chain)) {
				uint32_t frame = chain_raw_next(&chain);
				const struct mapping *at = mappings[frame];

				if (!at || last[at->dso] == i + 1)
					continue;
				last[at->dso] = i + 1;
				by_dso[at->dso].samples +=
					stacks_at(&part->table, i)->samples;
				by_dso[at->dso].frame = part->frames.at[frame];
			}
		}
	}
	qsort(by_dso, n, sizeof(*by_dso), compare_hottest_dsos);
	for (i = 0; i < n && by_dso[i].samples; i++) {
		by_dso[i].frame.input = number;
		resolver_find(resolver, &by_dso[i].frame);
	}
}

/* --- one table --------------------------------------------------------- */

/*
 * The locations of each frame of a table, as sampled frame, second frame and
 * caller, as in struct stacks_numbers.
 */
struct part_locations {
	struct resolver *resolver;
	ARRAY(uint32_t) sampled, second, callers, runs;
};

static bool part_has_callers(const struct stacks_raw *part)
{
	uint32_t n = stacks_n(&part->table), i;

	for (i = 0; i < n; i++) {
		struct chain_raw chain = stacks_raw_chain(part, i);

		chain_raw_next(&chain);
		if (!chain_raw_is_empty(&chain))
			return true;
	}
	return false;
}

/*
 * Returns the location of FRAME in a chain, or STACKS_RUN | index of a run of
 * locations in FOUND->runs.
 */
static uint32_t expand_part_frame(struct part_locations *found,
	const struct frame *frame, bool is_sampled)
{
	uint32_t run[LINE_DEPTH_MAX];
	size_t n = resolver_expand(found->resolver, frame, is_sampled, run);
	size_t at = found->runs.n, i;

	if (n == 1 || at + n >= STACKS_RUN)
		return run[n - 1];
	*array_push(&found->runs) = (uint32_t)n;
	for (i = 0; i < n; i++)
		*array_push(&found->runs) = run[i];
	return STACKS_RUN | (uint32_t)at;
}

static void resolve_scan_part(struct scan *into, struct stacks_raw *part,
	const struct resolve_request *request)
{
	struct resolver *resolver = request->resolver;
	struct part_locations found = { .resolver = resolver };
	struct stacks_numbers numbers;

	array_each(&part->frames, frame)
		*array_push(&found.sampled) =
			resolver_find(resolver, frame).location;
	/* A frame of a call chain may have several locations. */
	if (resolver_grain(resolver) & (RESOLVE_INLINES | RESOLVE_ADDRESSES) &&
		part_has_callers(part)) {
		array_each(&part->frames, frame) {
			*array_push(&found.second) =
				expand_part_frame(&found, frame, true);
			*array_push(&found.callers) =
				expand_part_frame(&found, frame, false);
		}
	}
	numbers = (struct stacks_numbers){ found.sampled.at,
		found.second.n ? found.second.at : found.sampled.at,
		found.callers.n ? found.callers.at : found.sampled.at,
		found.runs.at, into->budget };
	if (request->before_move)
		request->before_move(request->data, part, &numbers);
	stacks_move(&into->stacks, part, &numbers);
	stacks_raw_deinit(part);
	array_free(&found.sampled);
	array_free(&found.second);
	array_free(&found.callers);
	array_free(&found.runs);
}

void resolve_scan(struct scan *into, struct scan *from,
	const struct input *input, const struct resolve_request *request)
{
	struct resolver *resolver = request->resolver;
	size_t own;

	array_each(&from->parts, part) {
		array_each(&part->table.contexts, context) {
			context->event = input->events.at[context->event];
			if (context->comm)
				context->comm = 1 +
					string_table_intern(request->texts,
						maps_comm(input->survey.maps,
							context->comm));
		}
		array_each(&part->frames, frame)
			frame->input = inputs_number(request->inputs, input);
	}
	/*
	 * Read the source lines of all frames in advance if they are needed:
	 * because lines are shown, or because stacks have callers, which can be
	 * inlined functions.
	 */
	array_each(&from->parts, part)
		if (resolver_grain(resolver) & RESOLVE_ADDRESSES ||
			(resolver_grain(resolver) & RESOLVE_INLINES &&
				part_has_callers(part)))
			resolver_prepare(
				resolver, part->frames.at, part->frames.n);
	array_each(&from->parts, part)
		resolve_scan_part(into, part, request);
	while (into->by_event.n < request->inputs->events.n)
		array_push(&into->by_event);
	for (own = 0; own < from->by_event.n; own++) {
		struct sample_totals *all =
			&into->by_event.at[input->events.at[own]];

		all->samples += from->by_event.at[own].samples;
		all->period += from->by_event.at[own].period;
	}
	array_free(&from->parts);
	budget_release(from->budget, from->reserved);
	scan_deinit(from);
}
