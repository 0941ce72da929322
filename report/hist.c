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
};

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
		key[i] = request->fields[i]->value(
			build->names, context, location);
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

static uint64_t weight(const struct build *build, const struct row *row)
{
	return build->request->has_children ? row->children : row->self;
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

static int compare_rows(const void *a, const void *b, void *data)
{
	const struct row *left = a, *right = b;
	const struct build *build = data;
	uint64_t weight_left = weight(build, left);
	uint64_t weight_right = weight(build, right);
	int result = 0;
	size_t i;

	if (weight_left != weight_right)
		return COMPARE(weight_right, weight_left);
	/* Of equals the caller comes first, and it did less itself. */
	if (left->self != right->self)
		return COMPARE(left->self, right->self);
	/* Numbers come from hashing; what is shown must not. */
	for (i = 0; !result && i < build->request->n_fields; i++) {
		const struct field *field = build->request->fields[i];
		_cleanup_strbuf_ struct strbuf text_left = { 0 };
		_cleanup_strbuf_ struct strbuf text_right = { 0 };

		field->text(build->names, left->key[i], &text_left);
		field->text(build->names, right->key[i], &text_right);
		result = strcmp(text_left.at ? text_left.at : "",
			text_right.at ? text_right.at : "");
	}
	if (!result)
		return COMPARE(left->key[0], right->key[0]);
	return result;
}

static void hide_small(struct build *build, double limit)
{
	double least = (double)build->hist->period * limit / 100;

	array_each(&build->hist->rows, row)
		if ((double)weight(build, row) < least)
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
	if (ret->rows.n)
		qsort_r(ret->rows.at, ret->rows.n, sizeof(*ret->rows.at),
			compare_rows, &build);
}

void hist_deinit(struct hist *hist)
{
	array_each(&hist->rows, row)
		array_free(&row->cursors);
	array_free(&hist->rows);
}
