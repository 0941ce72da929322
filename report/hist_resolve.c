/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the frames of a scan's parts to the locations of one table. */
#include "config.h"

#include "common/alloc.h"
#include "report/hist.h"

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

static void resolve_part(struct stacks *into, struct stacks *part,
	const struct field_names *names)
{
	_cleanup_free_ uint32_t *locations =
		xcalloc(part->frames.n, sizeof(*locations));
	size_t i;

	for (i = 0; i < part->frames.n; i++)
		locations[i] = resolver_find(
			names->resolver, &part->frames.at[i])
				       .location;
	stacks_move(into, part, locations);
	stacks_deinit(part);
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
	array_each(&from->parts, part) {
		renumber(part, input, names);
		resolve_part(&into->stacks, part, names);
	}
	add_totals(into, from, input, names->inputs);
	array_free(&from->parts);
	reader_returns(from->reader, from->put_by);
	scan_deinit(from);
}
