/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/transform/sample_addresses.h"

#include "common/util/alloc.h"
#include "report/transform/transform.h"

/*
 * Maximum number of sample_addresses.places. Samples at further places have no visits;
 * recordings have some thousand places.
 */
#define VISIT_PLACES_MAX (UINT32_C(1) << 24)

/*
 * The sum of the samples of one event at one frame, in one thread and time
 * interval.
 */
struct frame_sum {
	uint32_t event, slot /* frame_slot() */, when;
	uint64_t samples, period;
};

struct frame_sums {
	ARRAY(struct frame_sum) at;
	struct hash_index by_frame;
};

/*
 * Returns an array with the index in HITS->whens of the thread and time of each
 * context of PART. The caller frees the array.
 */
static uint32_t *find_context_times(
	struct sample_addresses *hits, const struct stacks_raw *part)
{
	uint32_t *whens = xcalloc(part->table.contexts.n + 1, sizeof(*whens));
	size_t slot = hits->time
		? sample_keys_slot(hits->sample_keys, hits->time, NULL)
		: 0;
	size_t i;

	for (i = 0; i < part->table.contexts.n; i++) {
		const struct context *context = &part->table.contexts.at[i];
		const uint64_t *values = stacks_values(&part->table, context);
		const struct sample_thread_time new = {
			hits->time && values ? values[slot] : 0, context->ids
		};
		uint64_t hash = hash_words(new.time, thread_ids_hash(&new.ids));

		whens[i] = (uint32_t)hits->whens.n;
		hash_each_match(&hits->by_when, hash, at) {
			const struct sample_thread_time *when =
				&hits->whens.at[at];

			if (when->time == new.time &&
				!thread_ids_compare(&when->ids, &new.ids)) {
				whens[i] = at;
				break;
			}
		}
		if (whens[i] < hits->whens.n)
			continue;
		hash_insert(&hits->by_when, hash, whens[i]);
		*array_push(&hits->whens) = new;
	}
	return whens;
}

/* --- the frame with the own time ------------------------------------------- */

/* Returns a number of frame NUMBER: as the sampled address, or as a caller. */
static uint32_t frame_slot(uint32_t number, bool is_caller)
{
	return 2 * number + is_caller;
}

struct slot_location {
	uint32_t location, slot;
};

struct own_frames {
	struct transformer *transformer; /* NULL: no transforms */
	const struct stacks_numbers *numbers;
	struct transform_path path;	    /* buffer for one stack */
	ARRAY(struct slot_location) frames; /* the same, as before transforms */
};

/*
 * Returns the slot of the frame of CHAIN to which the transforms move its own time, or
 * HASH_NONE if they leave out the stack. Code that they replace by a frame of its DSO
 * stays where it is.
 */
static uint32_t find_own_slot(struct own_frames *own, struct chain_raw chain)
{
	const struct stacks_numbers *numbers = own->numbers;
	uint32_t first = chain_raw_next(&chain), frame, n, i;
	const uint32_t *by = numbers->second, *at;
	bool is_caller = false;

	if (!own->transformer)
		return frame_slot(first, false);
	array_clear(&own->path.frames);
	array_clear(&own->frames);
	own->path.sampled = numbers->sampled[first];
	for (; !chain_raw_is_empty(&chain); is_caller = true) {
		frame = chain_raw_next(&chain);
		at = &by[frame];
		n = 1;
		if (*at & STACKS_RUN) {
			at = numbers->runs + (*at & ~STACKS_RUN);
			n = *at++;
		}
		for (i = 0; i < n; i++) {
			*array_push(&own->path.frames) = at[i];
			*array_push(&own->frames) =
				(struct slot_location){ at[i],
					frame_slot(frame, is_caller) };
		}
		by = numbers->callers;
	}
	if (!transformer_apply(own->transformer, &own->path))
		return HASH_NONE;
	if (own->path.sampled != numbers->sampled[first])
		array_each(&own->frames, one)
			if (one->location == own->path.sampled)
				return one->slot;
	return frame_slot(first, false);
}

/* --- sums by frame --------------------------------------------------------- */

/* Returns the sum that stack NUMBER was added to, or HASH_NONE. */
static uint32_t add_stack_sum(struct frame_sums *sums, struct own_frames *own,
	const struct stacks_raw *part, uint32_t number, const uint32_t *whens)
{
	const struct stack *stack = stacks_at(&part->table, number);
	const struct context *context =
		&part->table.contexts.at[stack->context];
	struct frame_sum *sum;
	uint32_t slot, when;
	uint64_t hash;

	if (context->is_filtered || context->is_rest)
		return HASH_NONE;
	slot = find_own_slot(own, stacks_raw_chain(part, number));
	if (slot == HASH_NONE)
		return HASH_NONE;
	when = whens[stack->context];
	hash = hash_words(slot, (uint64_t)context->event << 32 | when);
	hash_each_match(&sums->by_frame, hash, i) {
		sum = &sums->at.at[i];
		if (sum->slot != slot || sum->when != when ||
			sum->event != context->event)
			continue;
		sum->samples += stack->samples;
		sum->period += stack->period;
		return i;
	}
	hash_insert(&sums->by_frame, hash, (uint32_t)sums->at.n);
	*array_push(&sums->at) = (struct frame_sum){ context->event, slot, when,
		stack->samples, stack->period };
	return (uint32_t)sums->at.n - 1;
}

/*
 * Adds SUM to HITS->at. Returns the index of the element, or HASH_NONE if the filter
 * rejects the code.
 */
static uint32_t add_address(struct sample_addresses *hits,
	const struct stacks_raw *part, const struct frame_sum *sum,
	struct resolver *resolver)
{
	const struct frame *frame = &part->frames.at[sum->slot / 2];
	struct resolver_frame found = resolver_find(resolver, frame);
	const struct location *at = resolver_location(resolver, found.location);
	uint64_t place = found.address - at->start;

	if (sum->slot % 2)
		place -= MIN(place, resolver_call_distance(resolver, frame));
	if (filter_needs_code(hits->filter) &&
		!resolver_passes(resolver, hits->filter, found.location))
		return HASH_NONE;
	*array_push(&hits->at) = (struct sample_address){ sum->event,
		found.location, sum->when, place, sum->samples, sum->period };
	return (uint32_t)hits->at.n - 1;
}

/* --- stacks that contain an address --------------------------------------- */

/* A place of the function with the location number .function. */
struct stack_place {
	uint32_t function, location;
	uint64_t place;
	uint32_t slot; /* frame_slot(): index in visit_adder.known */
};

struct visit_adder {
	struct sample_addresses *hits;
	const struct stacks_raw *part;
	/* The place of each frame: as the sampled address, and as a caller. */
	struct stack_place *sampled, *callers;
	uint32_t *
		known; /* by slot: index + 1 of the last visit of this place alone */
	uint32_t *last; /* by function: number + 1 of its last stack */
	ARRAY(struct stack_place) stack; /* of the stack that is being added */
	bool is_recursive; /* .stack has several places of a function */
};

static void find_frame_places(
	struct visit_adder *adder, struct resolver *resolver)
{
	uint32_t n = (uint32_t)adder->part->frames.n, i;

	for (i = 0; i < n; i++) {
		const struct frame *frame = &adder->part->frames.at[i];
		struct resolver_frame found = resolver_find(resolver, frame);
		const struct location *at =
			resolver_location(resolver, found.location);
		uint64_t place = found.address - at->start;
		uint64_t back = resolver_call_distance(resolver, frame);
		uint32_t function = at->symbol ? at->shown_as : HASH_NONE;

		adder->sampled[i] = (struct stack_place){ function,
			found.location, place, frame_slot(i, false) };
		adder->callers[i] =
			(struct stack_place){ function, found.location,
				place - MIN(place, back), frame_slot(i, true) };
	}
}

static void push_stack_place(struct visit_adder *adder, uint32_t number,
	const struct stack_place *place)
{
	if (place->function == HASH_NONE)
		return;
	adder->is_recursive |= adder->last[place->function] == number + 1;
	adder->last[place->function] = number + 1;
	*array_push(&adder->stack) = *place;
}

static int compare_stack_places(const void *a, const void *b)
{
	const struct stack_place *left = a, *right = b;
	int order = COMPARE(left->function, right->function);

	return order ? order : COMPARE(left->place, right->place);
}

/*
 * Returns the index of the visit of the N PLACES of one function, sorted, or HASH_NONE if
 * there are too many places.
 */
static uint32_t find_visit(struct sample_addresses *hits, uint32_t event,
	const struct stack_place *places, uint32_t n)
{
	uint64_t hash = hash_words(event, places->location);
	uint32_t i, number = (uint32_t)hits->visits.n;

	for (i = 0; i < n; i++)
		hash = hash_words(hash, places[i].place);
	hash_each_match(&hits->by_places, hash, at) {
		const struct sample_visit *visit = &hits->visits.at[at];

		if (visit->event != event || visit->n != n ||
			visit->location != places->location)
			continue;
		for (i = 0; i < n; i++)
			if (hits->places.at[visit->first + i] !=
				places[i].place)
				break;
		if (i == n)
			return at;
	}
	if (hits->places.n + n > VISIT_PLACES_MAX)
		return HASH_NONE;
	hash_insert(&hits->by_places, hash, number);
	*array_push(&hits->visits) = (struct sample_visit){ .event = event,
		.location = places->location,
		.first = (uint32_t)hits->places.n,
		.n = n };
	for (i = 0; i < n; i++)
		*array_push(&hits->places) = places[i].place;
	return number;
}

/* Adds .stack, one visit for the places of each function. */
static void add_stack_visits(
	struct visit_adder *adder, const struct stack *stack)
{
	struct sample_addresses *hits = adder->hits;
	uint32_t event = adder->part->table.contexts.at[stack->context].event;
	struct stack_place *at = adder->stack.at;
	size_t n = adder->stack.n, i, end;
	struct sample_visit *visit;
	uint32_t kept, number, *known;

	if (adder->is_recursive)
		array_sort(&adder->stack, compare_stack_places);
	for (i = 0; i < n; i = end) {
		kept = 1;
		for (end = i + 1; adder->is_recursive && end < n &&
			at[end].function == at[i].function;
			end++)
			if (at[end].place != at[i + kept - 1].place)
				at[i + kept++] = at[end];
		known = kept == 1 ? &adder->known[at[i].slot] : NULL;
		if (known && *known &&
			hits->visits.at[*known - 1].event == event) {
			number = *known - 1;
		} else {
			number = find_visit(hits, event, &at[i], kept);
			if (number == HASH_NONE)
				continue;
			if (known)
				*known = number + 1;
		}
		visit = &hits->visits.at[number];
		visit->samples += stack->samples;
		visit->period += stack->period;
	}
}

/* Adds the stacks of PART to HITS->visits, without those whose BY_STACK is HASH_NONE. */
static void add_part_visits(struct sample_addresses *hits,
	const struct stacks_raw *part, const uint32_t *by_stack,
	struct resolver *resolver)
{
	size_t size = part->frames.n + 1;
	uint32_t n = stacks_n(&part->table), i;
	struct visit_adder adder = { .hits = hits,
		.part = part,
		.sampled = xcalloc(size, sizeof(*adder.sampled)),
		.callers = xcalloc(size, sizeof(*adder.callers)),
		.known = xcalloc(2 * size, sizeof(*adder.known)) };

	find_frame_places(&adder, resolver);
	adder.last = xcalloc((size_t)resolver_n_locations(resolver) + 1,
		sizeof(*adder.last));
	for (i = 0; i < n; i++) {
		if (by_stack[i] == HASH_NONE)
			continue;

		struct chain_raw chain = stacks_raw_chain(part, i);
		uint32_t frame = chain_raw_next(&chain);
		uint32_t function = adder.sampled[frame].function;

		array_clear(&adder.stack);
		adder.is_recursive = false;
		push_stack_place(&adder, i, &adder.sampled[frame]);
		/*
		 * The second frame of a chain is the sampled address again, or
		 * with precise events one near it.
		 */
		if (!chain_raw_is_empty(&chain)) {
			frame = chain_raw_next(&chain);
			if (adder.sampled[frame].function != function)
				push_stack_place(
					&adder, i, &adder.sampled[frame]);
		}
		while (!chain_raw_is_empty(&chain))
			push_stack_place(&adder, i,
				&adder.callers[chain_raw_next(&chain)]);
		add_stack_visits(&adder, stacks_at(&part->table, i));
	}
	array_free(&adder.stack);
	free(adder.last);
	free(adder.known);
	free(adder.callers);
	free(adder.sampled);
}

/* -------------------------------------------------------------------------- */

void sample_addresses_add(struct sample_addresses *hits,
	const struct stacks_raw *part, const struct stacks_numbers *numbers,
	struct resolver *resolver)
{
	_cleanup_free_ uint32_t *whens = find_context_times(hits, part);
	uint32_t n = stacks_n(&part->table), i;
	_cleanup_free_ uint32_t *by_stack = xcalloc(n + 1, sizeof(*by_stack));
	struct own_frames own = { .numbers = numbers };
	struct frame_sums sums = { 0 };
	uint32_t *addresses;

	if (hits->transforms && hits->transforms->at.n)
		own.transformer =
			transformer_create(resolver, hits->transforms, false);
	for (i = 0; i < n; i++)
		by_stack[i] = add_stack_sum(&sums, &own, part, i, whens);
	transformer_destroy(own.transformer);
	array_free(&own.path.frames);
	array_free(&own.frames);
	addresses = xcalloc(sums.at.n + 1, sizeof(*addresses));
	array_each(&sums.at, sum)
		addresses[sum - sums.at.at] =
			add_address(hits, part, sum, resolver);
	for (i = 0; i < n; i++)
		if (by_stack[i] != HASH_NONE &&
			addresses[by_stack[i]] == HASH_NONE)
			by_stack[i] = HASH_NONE;
	array_each(&part->table.times, time) {
		uint32_t sum = time->stack == HASH_NONE ? HASH_NONE
							: by_stack[time->stack];

		*array_push(&hits->by_sample) =
			sum == HASH_NONE ? HASH_NONE : addresses[sum];
	}
	if (hits->has_visits)
		add_part_visits(hits, part, by_stack, resolver);
	free(addresses);
	array_free(&sums.at);
	hash_free(&sums.by_frame);
}

void sample_addresses_deinit(struct sample_addresses *hits)
{
	array_free(&hits->at);
	array_free(&hits->visits);
	array_free(&hits->places);
	array_free(&hits->by_sample);
	array_free(&hits->whens);
	hash_free(&hits->by_when);
	hash_free(&hits->by_places);
}
