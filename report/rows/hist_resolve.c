/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the frames of a scan's parts to the locations of one table. */
#include "config.h"

#include "common/util/alloc.h"
#include "report/rows/hist.h"
#include "report/rows/sample_addresses.h"

/* Numbers of INPUT become those for all. */
static void renumber(struct stacks *part, const struct input *input,
	const struct field_names *names)
{
	array_each(&part->contexts, context) {
		context->event = input->events.at[context->event];
		if (context->comm)
			context->comm = 1 +
				texts_number(names->texts,
					maps_comm(input->survey.maps,
						context->comm));
	}
	array_each(&part->frames, frame)
		frame->input = inputs_number(names->inputs, input);
}

/* The numbers of a part's frames, on their way. */
struct naming {
	struct resolver *resolver;
	ARRAY(uint32_t) sampled, second, callers, runs;
};

static bool has_callers(const struct stacks *stacks)
{
	uint32_t n = stacks_n(stacks), i;

	for (i = 0; i < n; i++) {
		struct chain chain = stacks_chain(stacks, i);

		chain_next(&chain);
		if (!chain_is_empty(&chain))
			return true;
	}
	return false;
}

/* The number for FRAME in a chain, of which the rest may be a run. */
static uint32_t expand(
	struct naming *naming, const struct frame *frame, bool is_sampled)
{
	uint32_t run[LINE_DEPTH_MAX];
	size_t n = resolver_expand(naming->resolver, frame, is_sampled, run);
	size_t at = naming->runs.n, i;

	if (n == 1 || at + n >= STACKS_RUN)
		return run[n - 1];
	*array_push(&naming->runs) = (uint32_t)n;
	for (i = 0; i < n; i++)
		*array_push(&naming->runs) = run[i];
	return STACKS_RUN | (uint32_t)at;
}

static void expand_all(struct naming *naming, const struct stacks *part)
{
	array_each(&part->frames, frame) {
		*array_push(&naming->second) = expand(naming, frame, true);
		*array_push(&naming->callers) = expand(naming, frame, false);
	}
}

static void resolve_part(struct scan *into, struct stacks *part,
	const struct field_names *names)
{
	struct naming naming = { .resolver = names->resolver };
	struct stacks_numbers numbers;

	array_each(&part->frames, frame)
		*array_push(&naming.sampled) =
			resolver_find(names->resolver, frame).location;
	if (into->hits)
		hits_add(into->hits, part, names->resolver);
	if (resolver_expands(names->resolver) && has_callers(part))
		expand_all(&naming, part);
	numbers = (struct stacks_numbers){ naming.sampled.at,
		naming.second.n ? naming.second.at : naming.sampled.at,
		naming.callers.n ? naming.callers.at : naming.sampled.at,
		naming.runs.at, into->reader };
	stacks_move(&into->stacks, part, &numbers);
	stacks_deinit(part);
	array_free(&naming.sampled);
	array_free(&naming.second);
	array_free(&naming.callers);
	array_free(&naming.runs);
}

/* Lines are wanted of all, or of callers what was inlined there. */
static void prepare(struct scan *from, const struct field_names *names)
{
	array_each(&from->parts, part)
		if (resolver_wants_lines(names->resolver) ||
			(resolver_expands(names->resolver) &&
				has_callers(part)))
			resolver_prepare(names->resolver, part->frames.at,
				part->frames.n);
}

static void add_totals(struct scan *into, const struct scan *from,
	const struct input *input, const struct inputs *inputs)
{
	size_t own;

	while (into->by_event.n < inputs->events.n)
		array_push(&into->by_event);
	for (own = 0; own < from->by_event.n; own++) {
		struct take_totals *all =
			&into->by_event.at[input->events.at[own]];

		all->samples += from->by_event.at[own].samples;
		all->period += from->by_event.at[own].period;
	}
}

void hist_resolve(struct scan *into, struct scan *from,
	const struct input *input, const struct field_names *names)
{
	array_each(&from->parts, part)
		renumber(part, input, names);
	prepare(from, names);
	array_each(&from->parts, part)
		resolve_part(into, part, names);
	add_totals(into, from, input, names->inputs);
	array_free(&from->parts);
	reader_returns(from->reader, from->put_by);
	scan_deinit(from);
}
