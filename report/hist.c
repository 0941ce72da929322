/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/hist.h"

#include "common/alloc.h"

#define NO_STACK UINT32_MAX

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
};

static void find_slots(struct build *build)
{
	const struct hist_request *request = build->request;
	size_t i, j;

	for (i = 0; i < request->n_fields; i++) {
		take_value *const *take = request->fields[i]->take;

		for (j = 0; j < FIELD_TAKES && take[j]; j++)
			build->slots[i][j] = (uint8_t)takes_slot(
				&request->takes, take[j]);
	}
	for (i = 0; i < request->columns.n; i++) {
		const struct field *field = request->columns.at[i].field;

		if (field->kind == FIELD_KEY || !field->take[0])
			continue;
		build->has_modes = true;
		build->mode_slot = (uint8_t)takes_slot(
			&request->takes, field->take[0]);
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

void hist_resolve(struct scan *scan, const struct field_names *names)
{
	struct stacks *stacks = &scan->stacks;
	_cleanup_free_ uint32_t *locations =
		xcalloc(stacks->frames.n, sizeof(*locations));
	size_t i;

	for (i = 0; i < stacks->frames.n; i++)
		locations[i] = resolver_find(
			names->resolver, &stacks->frames.at[i])
				       .location;
	array_each(&stacks->chains, frame)
		*frame = locations[*frame];
}

void hist_filter(struct scan *scan, const struct filter *filter,
	const struct field_names *names)
{
	enum { UNKNOWN, PASSES, FAILS };
	struct stacks *stacks = &scan->stacks;
	_cleanup_free_ uint8_t *verdicts =
		xcalloc(resolver_n_locations(names->resolver), 1);

	if (!filter->dsos.names.n && !filter->symbols.names.n)
		return;
	array_each(&stacks->stacks, stack) {
		uint32_t location = stacks->chains.at[stack->frames];
		struct context context =
			stacks->contexts.at[stack->context];

		if (verdicts[location] == UNKNOWN)
			verdicts[location] = resolver_passes(names->resolver,
						     filter, location)
				? PASSES
				: FAILS;
		if (verdicts[location] == PASSES)
			continue;
		context.is_filtered = true;
		stack->context = stacks_context(stacks, &context);
	}
}

static struct row *row_of(struct build *build, const struct context *context,
	uint32_t location)
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
	hash_insert(&build->by_key, hash, (uint32_t)build->hist->rows.n);
	row = array_push(&build->hist->rows);
	memcpy(row->key, key, sizeof(key));
	row->location = location;
	row->last_stack = NO_STACK;
	row->is_hidden = !resolver_has_text(build->names->resolver, location,
		request->filter->symbol_part);
	return row;
}

static void add_stack(struct build *build, uint32_t number)
{
	const struct stacks *stacks = &build->scan->stacks;
	const struct stack *stack = &stacks->stacks.at[number];
	const struct context *context = &stacks->contexts.at[stack->context];
	const uint32_t *chain = stacks->chains.at + stack->frames;
	struct row *row = row_of(build, context, chain[0]);
	uint32_t i;

	row->self += stack->period;
	row->samples += stack->samples;
	row->children += stack->period;
	row->last_stack = number;
	if (unlikely(build->has_modes))
		add_mode(build, row, stack);
	for (i = 1; build->request->has_children && i < stack->n; i++) {
		row = row_of(build, context, chain[i]);
		if (row->last_stack == number)
			continue;
		row->last_stack = number;
		row->children += stack->period;
	}
}

static bool counts(const struct build *build, uint32_t number)
{
	const struct stacks *stacks = &build->scan->stacks;
	const struct context *context =
		&stacks->contexts.at[stacks->stacks.at[number].context];

	return context->event == build->hist->event && !context->is_filtered;
}

static void push_cursor(struct row *row, uint32_t number, uint32_t at)
{
	*array_push(&row->cursors) = (struct hist_cursor){ number, at };
	row->last_stack = number;
}

/*
 * A row that was sampled itself gets the whole chain; a caller gets it from
 * its own frame on: the outermost one where trees grow from callers, the
 * innermost where they grow from callees.
 */
static void add_cursors(struct build *build, uint32_t number)
{
	const struct stacks *stacks = &build->scan->stacks;
	const struct stack *stack = &stacks->stacks.at[number];
	const struct context *context = &stacks->contexts.at[stack->context];
	const uint32_t *chain = stacks->chains.at + stack->frames;
	bool from_caller = build->request->is_inverted;
	struct row *row;
	uint32_t i;

	if (stack->n < 2)
		return;
	row = row_of(build, context, chain[0]);
	if (!row->is_hidden)
		push_cursor(row, number, from_caller ? stack->n - 1 : 1);
	row->last_stack = number;
	for (i = 1; build->request->has_children && i < stack->n; i++) {
		uint32_t at = from_caller ? stack->n - i : i;

		row = row_of(build, context, chain[at]);
		if (row->is_hidden || row->last_stack == number)
			continue;
		push_cursor(row, number, at);
	}
}

uint64_t hist_number(const struct row *row, const struct field *field)
{
	switch (field->number) {
	case NUMBER_SELF: return row->self;
	case NUMBER_CHILDREN: return row->children;
	case NUMBER_SAMPLES: return row->samples;
	case NUMBER_KERNEL: return row->by_mode[HIST_KERNEL];
	case NUMBER_USER: return row->by_mode[HIST_USER];
	case NUMBER_GUEST_KERNEL: return row->by_mode[HIST_GUEST_KERNEL];
	case NUMBER_GUEST_USER: return row->by_mode[HIST_GUEST_USER];
	}
	return 0;
}

void hist_key_text(const struct row *row, const struct column *column,
	const struct field_names *names, struct strbuf *out)
{
	uint64_t value = row->key[column->key];

	if (column->field->is_per_sample)
		value *= row->samples;
	column->field->text(names, value, out);
}

static void hide_small(struct build *build, double limit)
{
	double least = (double)build->hist->period * limit / 100;

	array_each(&build->hist->rows, row)
		if ((double)hist_weight(build->request, row) < least)
			row->is_hidden = true;
}

void hist_build(const struct scan *scan, uint32_t event,
	const struct hist_request *request, const struct field_names *names,
	struct hist *ret)
{
	struct build build = { .scan = scan,
		.request = request,
		.names = names,
		.hist = ret };
	uint32_t i, n = (uint32_t)scan->stacks.stacks.n;

	memset(ret, 0, sizeof(*ret));
	ret->event = event;
	ret->samples = scan->by_event.at[event].samples;
	ret->period = scan->by_event.at[event].period;
	find_slots(&build);
	for (i = 0; i < n; i++)
		if (counts(&build, i))
			add_stack(&build, i);
	hide_small(&build, request->percent_limit);
	if (request->wants_cursors) {
		array_each(&ret->rows, row)
			row->last_stack = NO_STACK;
		for (i = 0; i < n; i++)
			if (counts(&build, i))
				add_cursors(&build, i);
	}
	hash_free(&build.by_key);
	hist_sort(ret, request, names);
}

void hist_deinit(struct hist *hist)
{
	array_each(&hist->rows, row)
		array_free(&row->cursors);
	array_free(&hist->rows);
	array_each(&hist->members, member)
		hist_deinit(member);
	array_free(&hist->members);
	free(hist->others);
}
