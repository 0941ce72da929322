/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/hist.h"

#include "common/alloc.h"

#define NO_STACK UINT32_MAX
/* Bytes that each takes, about, with its places in indexes and in the text. */
#define ROW_COST (sizeof(struct row) + 96u)
#define PLACE_COST (sizeof(struct hist_place) + 24u)

struct build {
	const struct scan *scan;
	const struct hist_request *request;
	const struct field_names *names;
	struct hist *hist;
	struct hash_index by_key;
	/* Where a context has what each field takes. */
	uint8_t slots[FIELDS_MAX][FIELD_TAKES];
	bool has_modes;
	uint8_t mode_slot;
	uint32_t *seen; /* by location: the last stack it was in, + 1 */
	bool is_full; /* no more rows and places */
	uint64_t row_extra; /* bytes of a row in its group */
};

static void find_slots(struct build *build)
{
	const struct hist_request *request = build->request;
	size_t i, j;

	for (i = 0; i < request->n_fields; i++) {
		take_value *const *take = request->fields[i]->take;

		for (j = 0; j < FIELD_TAKES && take[j]; j++)
			build->slots[i][j] = (uint8_t)takes_slot(
				&request->takes, take[j],
				request->fields[i]->data);
	}
	for (i = 0; i < request->columns.n; i++) {
		const struct field *field = request->columns.at[i].field;

		if (field->kind == FIELD_KEY || !field->take[0])
			continue;
		build->has_modes = true;
		build->mode_slot = (uint8_t)takes_slot(
			&request->takes, field->take[0], field->data);
	}
}

static uint64_t key_of(const struct build *build, size_t i,
	const struct context *context, uint32_t location)
{
	const struct field *field = build->request->fields[i];
	const uint64_t *values =
		stacks_values(&build->scan->stacks, context);
	uint64_t taken[FIELD_TAKES] = { 0 };
	size_t j;

	for (j = 0; j < FIELD_TAKES && field->take[j]; j++)
		taken[j] = values[build->slots[i][j]];
	return field->value
		? field->value(build->names, context, location, taken)
		: taken[0];
}

static void add_mode(
	const struct build *build, struct row *row, const struct stack *stack)
{
	static const uint8_t modes[] = {
		[MISC_KERNEL] = HIST_KERNEL,
		[MISC_USER] = HIST_USER,
		[MISC_GUEST_KERNEL] = HIST_GUEST_KERNEL,
		[MISC_GUEST_USER] = HIST_GUEST_USER,
	};
	const struct stacks *stacks = &build->scan->stacks;
	uint64_t mode = stacks_values(stacks,
		&stacks->contexts.at[stack->context])[build->mode_slot];

	if (mode != MISC_HYPERVISOR && mode && mode < ARRAY_SIZE(modes))
		row->by_mode[modes[mode]] += stack->period;
}

static bool affords(struct build *build, uint64_t cost)
{
	if (build->is_full || !reader_affords(build->scan->reader, cost))
		build->is_full = true;
	return !build->is_full;
}

static struct row *add_row(struct build *build, uint32_t location)
{
	struct hist *hist = build->hist;
	struct row *row = array_push(&hist->rows);

	row->number = (uint32_t)hist->rows.n - 1;
	row->location = location;
	row->last_stack = NO_STACK;
	return row;
}

static struct row *rest_row(struct build *build, uint32_t location)
{
	struct hist *hist = build->hist;
	struct row *row;

	if (hist->rest_row != HASH_NONE)
		return &hist->rows.at[hist->rest_row];
	row = add_row(build, location);
	row->is_rest = true;
	hist->rest_row = row->number;
	return row;
}

static struct row *find_row(struct build *build,
	const struct context *context, uint32_t location)
{
	const struct hist_request *request = build->request;
	uint64_t key[FIELDS_MAX] = { 0 }, hash = 0;
	uint32_t i, probe;
	struct row *row;

	for (i = 0; i < request->n_fields; i++) {
		key[i] = key_of(build, i, context, location);
		hash = hash_words(hash, key[i]);
	}
	probe = hash_start(hash);
	while ((i = hash_next(&build->by_key, hash, &probe)) != HASH_NONE) {
		row = &build->hist->rows.at[i];
		if (!memcmp(row->key, key, sizeof(key)))
			return row;
	}
	if (!affords(build, ROW_COST + build->row_extra))
		return rest_row(build, location);
	hash_insert(&build->by_key, hash, (uint32_t)build->hist->rows.n);
	row = add_row(build, location);
	memcpy(row->key, key, sizeof(key));
	row->is_hidden = !resolver_has_text(build->names->resolver, location,
		request->filter->row_part);
	return row;
}

static uint64_t hash_place(uint32_t context, uint32_t location)
{
	return hash_words(context, location);
}

static uint32_t find_place(
	const struct hist *hist, uint32_t context, uint32_t location)
{
	uint64_t hash = hash_place(context, location);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&hist->by_place, hash, &probe)) != HASH_NONE) {
		const struct hist_place *place = &hist->places.at[i];

		if (place->context == context && place->location == location)
			return place->row;
	}
	return HASH_NONE;
}

uint32_t hist_find(
	const struct hist *hist, uint32_t context, uint32_t location)
{
	uint32_t row = find_place(hist, context, location);

	return row != HASH_NONE ? row : hist->rest_row;
}

/* Borrowed until the next call. */
static struct row *row_of(
	struct build *build, uint32_t context, uint32_t location)
{
	struct hist *hist = build->hist;
	const struct context *at = &build->scan->stacks.contexts.at[context];
	uint32_t number = find_place(hist, context, location);
	struct row *row;

	if (likely(number != HASH_NONE))
		return &hist->rows.at[number];
	if (at->is_rest || !affords(build, PLACE_COST))
		return rest_row(build, location);
	row = find_row(build, at, location);
	if (row->is_rest)
		return row;
	hash_insert(&hist->by_place, hash_place(context, location),
		(uint32_t)hist->places.n);
	*array_push(&hist->places) =
		(struct hist_place){ context, location, row->number };
	return row;
}

static void begin_through(struct build *build)
{
	uint32_t n = resolver_n_locations(build->names->resolver);
	typeof(build->hist->through) *through = &build->hist->through;

	if (!reader_affords(
		    build->scan->reader, n * sizeof(*through->at)))
		return;
	through->at = xcalloc(n, sizeof(*through->at));
	through->n = through->room = n;
	build->seen = xcalloc(n, sizeof(*build->seen));
}

static void add_through(
	struct build *build, uint32_t number, struct chain chain)
{
	uint64_t period = stacks_at(&build->scan->stacks, number)->period;

	while (!chain_is_empty(&chain)) {
		uint32_t location = chain_next(&chain);

		if (build->seen[location] != number + 1)
			build->hist->through.at[location] += period;
		build->seen[location] = number + 1;
	}
}

/* A function that calls itself counts once. */
static void add_stack(struct build *build, uint32_t number)
{
	const struct stacks *stacks = &build->scan->stacks;
	const struct stack *stack = stacks_at(stacks, number);
	struct chain chain = stacks_chain(stacks, number);
	struct row *row;

	if (!hist_counts(
		    build->hist, &stacks->contexts.at[stack->context]))
		return;
	if (build->seen)
		add_through(build, number, chain);
	row = row_of(build, stack->context, chain_next(&chain));
	row->self += stack->period;
	row->samples += stack->samples;
	row->children += stack->period;
	row->last_stack = number;
	row->stacks++;
	if (unlikely(build->has_modes))
		add_mode(build, row, stack);
	while (build->request->has_children && !chain_is_empty(&chain)) {
		row = row_of(build, stack->context, chain_next(&chain));
		if (row->last_stack == number)
			continue;
		row->last_stack = number;
		row->stacks++;
		row->children += stack->period;
	}
}

/* --percentage relative: the total is that of the rows that are shown. */
static void count_shown(struct hist *hist)
{
	hist->samples = hist->period = 0;
	array_each(&hist->rows, row) {
		if (row->is_hidden)
			continue;
		hist->samples += row->samples;
		hist->period += row->self;
	}
}

static void hide_small(struct build *build, double limit)
{
	double least = (double)build->hist->period * limit / 100;

	array_each(&build->hist->rows, row)
		if ((double)hist_weight(build->request, row) < least)
			row->is_hidden = true;
}

/* What a row takes in its group's table, which is an array that grows. */
static uint64_t extra_of(size_t group_size)
{
	return group_size > 1
		? 2 * (group_size * sizeof(void *) + sizeof(struct row))
		: 0;
}

void hist_build(const struct scan *scan, uint32_t event,
	const struct hist_request *request, const struct field_names *names,
	struct hist *ret)
{
	struct build build = { .scan = scan,
		.request = request,
		.names = names,
		.hist = ret,
		.row_extra = extra_of(request->group_size) };
	uint32_t i, n = stacks_n(&scan->stacks);

	memset(ret, 0, sizeof(*ret));
	ret->event = event;
	ret->rest_row = HASH_NONE;
	ret->samples = scan->by_event.at[event].samples;
	ret->period = scan->by_event.at[event].period;
	find_slots(&build);
	ret->has_children = request->has_children;
	if (request->wants_trees)
		begin_through(&build);
	for (i = 0; i < n; i++)
		add_stack(&build, i);
	free(build.seen);
	if (request->is_relative)
		count_shown(ret);
	hide_small(&build, request->percent_limit);
	hash_free(&build.by_key);
	hist_sort(ret, request, names);
}

void hist_deinit(struct hist *hist)
{
	array_free(&hist->rows);
	array_each(&hist->members, member)
		hist_deinit(member);
	array_free(&hist->members);
	free(hist->others);
	array_free(&hist->places);
	array_free(&hist->through);
	hash_free(&hist->by_place);
}
