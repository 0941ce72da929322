/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/hist.h"

#include "common/util/alloc.h"
#include "common/util/budget.h"

/*
 * Approximate bytes of a row and of a struct hist_place, with hash slots and
 * text.
 */
#define ROW_COST (sizeof(struct row) + 96u)
#define PLACE_COST (sizeof(struct hist_place) + 24u)

struct hist_building {
	const struct scan *scan;
	const struct hist_request *request;
	const struct field_names *names;
	struct hist *hist;
	struct hash_index by_key;
	/*
	 * For each field: the indexes of its values in the values of a context.
	 */
	uint8_t slots[FIELDS_MAX][FIELD_TAKES];
	bool has_modes;
	uint8_t mode_slot;
	/*
	 * The rows and locations of the frames between the root and the current
	 * prefix (stack_prefixes.h).
	 */
	ARRAY(uint32_t) rows, locations;
	bool *is_on_way;    /* by location: in .locations; or NULL */
	bool is_full;	    /* no memory for more rows */
	uint64_t row_extra; /* additional bytes per row of a grouped event */
};

static void find_field_slots(struct hist_building *build)
{
	const struct hist_request *request = build->request;
	size_t i, j;

	for (i = 0; i < request->n_fields; i++) {
		sample_key_value *const *take = request->fields[i]->take;

		for (j = 0; j < FIELD_TAKES && take[j]; j++)
			build->slots[i][j] =
				(uint8_t)sample_keys_slot(&request->sample_keys,
					take[j], request->fields[i]->data);
	}
	for (i = 0; i < request->columns.n; i++) {
		const struct field *field = request->columns.at[i].field;

		if (field->kind == FIELD_KEY || !field->take[0])
			continue;
		build->has_modes = true;
		build->mode_slot = (uint8_t)sample_keys_slot(
			&request->sample_keys, field->take[0], field->data);
	}
}

static bool reserve_hist_memory(struct hist_building *build, uint64_t cost)
{
	if (build->is_full || !budget_reserve(build->scan->budget, cost))
		build->is_full = true;
	else
		build->hist->reserved += cost;
	return !build->is_full;
}

static struct row *append_hist_row(
	struct hist_building *build, uint32_t location)
{
	struct hist *hist = build->hist;
	struct row *row = array_push(&hist->rows);

	row->number = (uint32_t)hist->rows.n - 1;
	row->location = location;
	return row;
}

static struct row *find_rest_row(struct hist_building *build, uint32_t location)
{
	struct hist *hist = build->hist;
	struct row *row;

	if (hist->rest_row != HASH_NONE)
		return &hist->rows.at[hist->rest_row];
	row = append_hist_row(build, location);
	row->is_rest = true;
	hist->rest_row = row->number;
	return row;
}

static struct row *find_keyed_row(struct hist_building *build,
	const struct context *context, uint32_t location)
{
	const struct hist_request *request = build->request;
	const struct stacks *stacks = &build->scan->stacks;
	const uint64_t *values = stacks_values(stacks, context);
	const struct context_functions functions = stacks_functions(
		stacks, (uint32_t)(context - stacks->contexts.at));
	uint64_t key[FIELDS_MAX] = { 0 }, hash = 0;
	struct row *row;
	size_t j, k;

	for (j = 0; j < request->n_fields; j++) {
		const struct field *field = request->fields[j];
		uint64_t taken[FIELD_TAKES] = { 0 };

		for (k = 0; k < FIELD_TAKES && field->take[k]; k++)
			taken[k] = values[build->slots[j][k]];
		if (field->function)
			taken[0] = field->function == FIELD_FUNCTION_PARENT
				? functions.parent
				: functions.waits_in;
		key[j] = field->value
			? field->value(build->names, context, location, taken)
			: taken[0];
		hash = hash_words(hash, key[j]);
	}
	hash_each_match(&build->by_key, hash, i) {
		row = &build->hist->rows.at[i];
		if (!memcmp(row->key, key, sizeof(key)))
			return row;
	}
	if (!reserve_hist_memory(build, ROW_COST + build->row_extra))
		return find_rest_row(build, location);
	hash_insert(&build->by_key, hash, (uint32_t)build->hist->rows.n);
	row = append_hist_row(build, location);
	memcpy(row->key, key, sizeof(key));
	row->is_hidden = !resolver_has_text(
		build->names->resolver, location, request->filter->row_part);
	return row;
}

static uint32_t find_place_row(
	const struct hist *hist, uint32_t context, uint32_t location)
{
	uint64_t hash = hash_words(context, location);

	hash_each_match(&hist->by_place, hash, i) {
		const struct hist_place *place = &hist->places.at[i];

		if (place->context == context && place->location == location)
			return place->row;
	}
	return HASH_NONE;
}

uint32_t hist_find(const struct hist *hist, uint32_t context, uint32_t location)
{
	uint32_t row = find_place_row(hist, context, location);

	return row != HASH_NONE ? row : hist->rest_row;
}

/*
 * Returns the row of LOCATION in CONTEXT, valid until the next call. Adds the
 * row if there is none.
 */
static struct row *find_hist_row(
	struct hist_building *build, uint32_t context, uint32_t location)
{
	struct hist *hist = build->hist;
	const struct context *at = &build->scan->stacks.contexts.at[context];
	uint32_t number = find_place_row(hist, context, location);
	struct row *row;

	if (likely(number != HASH_NONE))
		return &hist->rows.at[number];
	if (at->is_rest || !reserve_hist_memory(build, PLACE_COST))
		return find_rest_row(build, location);
	row = find_keyed_row(build, at, location);
	if (row->is_rest)
		return row;
	hash_insert(&hist->by_place, hash_words(context, location),
		(uint32_t)hist->places.n);
	*array_push(&hist->places) =
		(struct hist_place){ context, location, row->number };
	return row;
}

static void add_period_sum(
	struct hist_building *build, uint32_t location, uint64_t period)
{
	if (!build->is_on_way || build->is_on_way[location])
		return;
	build->is_on_way[location] = true;
	build->hist->through.at[location] += period;
	*array_push(&build->locations) = location;
}

/*
 * Adds PERIOD, of all stacks of BRANCH (stack_prefixes.h), to the rows of the
 * callers in BRANCH behind byte FROM of the chain.
 */
static void add_hist_callers(struct hist_building *build, uint32_t branch,
	uint32_t from, uint32_t context, uint64_t period)
{
	const struct stack_prefixes *prefixes = build->hist->prefixes;
	struct chain part = stack_prefixes_part(prefixes, branch, from);

	while (!chain_is_empty(&part)) {
		uint32_t location = prefixes->callers_first ? chain_last(&part)
							    : chain_next(&part);
		struct row *row;

		add_period_sum(build, location, period);
		if (!build->request->has_children)
			continue;
		row = find_hist_row(build, context, location);
		/* A recursive function counts once per stack. */
		if (row->is_on_way)
			continue;
		row->is_on_way = true;
		row->children += period;
		*array_push(&build->rows) = row->number;
	}
}

static void add_hist_leaf(
	struct hist_building *build, uint32_t leaf, uint32_t from)
{
	const struct stack_prefixes *prefixes = build->hist->prefixes;
	const struct stack *stack = stack_prefixes_stack(prefixes, leaf);
	struct chain chain =
		stacks_chain(&build->scan->stacks, prefixes->leaves[leaf]);
	uint32_t location = chain_next(&chain);
	struct row *row;

	if (build->request->has_children || build->is_on_way)
		add_hist_callers(build, leaf | STACK_PREFIXES_LEAF, from,
			stack->context, stack->period);
	add_period_sum(build, location, stack->period);
	row = find_hist_row(build, stack->context, location);
	row->self += stack->period;
	row->samples += stack->samples;
	if (!row->is_on_way)
		row->children += stack->period;
	if (unlikely(build->has_modes)) {
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
}

static void add_hist_prefix(
	struct hist_building *build, uint32_t number, uint32_t from)
{
	const struct stack_prefixes *prefixes = build->hist->prefixes;
	const struct stack_prefix *prefix = &prefixes->at.at[number];
	struct stack_prefixes_visit visit =
		stack_prefixes_visit(prefixes, number);
	size_t rows, locations;
	uint32_t branch;

	if (prefix->size)
		add_hist_callers(build, number, from,
			stack_prefixes_stack(prefixes, prefix->first)->context,
			prefix->period);
	rows = build->rows.n;
	locations = build->locations.n;
	while (stack_prefixes_next(prefixes, &visit, &branch)) {
		if (branch & STACK_PREFIXES_LEAF)
			add_hist_leaf(build, branch & ~STACK_PREFIXES_LEAF,
				prefix->size);
		else
			add_hist_prefix(build, branch, prefix->size);
		while (build->rows.n > rows)
			build->hist->rows.at[build->rows.at[--build->rows.n]]
				.is_on_way = false;
		while (build->locations.n > locations)
			build->is_on_way[build->locations
						 .at[--build->locations.n]] =
				false;
	}
}

void hist_build(const struct scan *scan, uint32_t event,
	const struct hist_request *request, const struct field_names *names,
	struct hist *ret)
{
	struct hist_building build = {
		.scan = scan, .request = request, .names = names, .hist = ret
	};
	uint32_t n = resolver_n_locations(names->resolver);

	/* The table that the events of a group share is a growing array. */
	if (request->group_size > 1)
		build.row_extra = 2 *
			(request->group_size * sizeof(void *) +
				sizeof(struct row));
	*ret = (struct hist){ .event = event,
		.has_children = request->has_children,
		.rest_row = HASH_NONE,
		.samples = scan->by_event.at[event].samples,
		.period = scan->by_event.at[event].period };
	find_field_slots(&build);
	if (request->wants_trees &&
		budget_reserve(scan->budget, n * sizeof(*ret->through.at))) {
		ret->reserved += n * sizeof(*ret->through.at);
		ret->through.at = xcalloc(n, sizeof(*ret->through.at));
		ret->through.n = ret->through.room = n;
		build.is_on_way = xcalloc(n, sizeof(*build.is_on_way));
	}
	ret->prefixes = stack_prefixes_create(scan,
		&(struct stack_prefixes_request){ .event = event,
			.callers_first = request->is_inverted,
			.is_shared = request->has_children });
	add_hist_prefix(&build, (uint32_t)ret->prefixes->at.n - 1, 0);
	array_free(&build.rows);
	array_free(&build.locations);
	free(build.is_on_way);
	/* --percentage relative: the totals are the sums of the shown rows. */
	if (request->is_relative)
		ret->samples = ret->period = 0;
	array_each(&ret->rows, row) {
		if (!request->is_relative || row->is_hidden)
			continue;
		ret->samples += row->samples;
		ret->period += row->self;
	}
	double least = (double)ret->period * request->percent_limit / 100;

	array_each(&ret->rows, row)
		if ((double)hist_weight(request, row) < least)
			row->is_hidden = true;
	hash_free(&build.by_key);
	hist_sort(ret, request, names);
}

void hist_deinit(struct hist *hist)
{
	array_free(&hist->rows);
	array_each(&hist->members, member)
		hist_deinit(member);
	array_free(&hist->members);
	array_free(&hist->ratios);
	free(hist->others);
	array_free(&hist->places);
	array_free(&hist->through);
	stack_prefixes_destroy(hist->prefixes);
	hash_free(&hist->by_place);
}
