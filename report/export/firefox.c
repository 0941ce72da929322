/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/firefox.h"

#include "common/util/budget.h"
#include "common/util/json.h"

/* Bytes of a struct firefox_stack and its slot in .by_stack. */
#define STACK_COST 64u

void firefox_tables_deinit(struct firefox_tables *tables)
{
	array_free(&tables->frames);
	array_free(&tables->functions);
	array_free(&tables->stacks);
	hash_free(&tables->by_location);
	hash_free(&tables->by_function);
	hash_free(&tables->by_stack);
}

static uint32_t table_function_number(
	struct firefox_tables *tables, uint32_t number)
{
	uint64_t hash = hash_words(number, 0);
	uint32_t n = (uint32_t)tables->functions.n;

	hash_each_match(&tables->by_function, hash, i)
		if (tables->functions.at[i] == number)
			return i;
	hash_insert(&tables->by_function, hash, n);
	*array_push(&tables->functions) = number;
	return n;
}

static uint32_t find_firefox_frame(struct firefox_tables *tables,
	struct function_numbers *functions, const struct firefox_frame *wanted)
{
	uint64_t hash = hash_words(wanted->location, wanted->inlined);
	uint32_t n = (uint32_t)tables->frames.n;
	struct firefox_frame frame = *wanted;

	hash_each_match(&tables->by_location, hash, i)
		if (tables->frames.at[i].location == wanted->location &&
			tables->frames.at[i].inlined == wanted->inlined)
			return i;
	char name[OFFCPU_STATE_SIZE];
	frame.function = table_function_number(tables,
		wanted->location < FIREFOX_MARKS
			? function_numbers_find(functions, wanted->location)
			: function_numbers_find_mark(functions,
				  offcpu_state_mark(
					  wanted->location - FIREFOX_MARKS,
					  name)));
	hash_insert(&tables->by_location, hash, n);
	*array_push(&tables->frames) = frame;
	return n;
}

static uint32_t find_firefox_stack(struct firefox_tables *tables,
	const struct input *input, const struct firefox_stack *wanted)
{
	uint64_t hash = hash_words(wanted->prefix, wanted->frame);
	uint32_t n = (uint32_t)tables->stacks.n;

	hash_each_match(&tables->by_stack, hash, i)
		if (tables->stacks.at[i].prefix == wanted->prefix &&
			tables->stacks.at[i].frame == wanted->frame)
			return i;
	if (!budget_reserve(input_budget(input), STACK_COST))
		return FIREFOX_NONE;
	hash_insert(&tables->by_stack, hash, n);
	*array_push(&tables->stacks) = *wanted;
	return n;
}

/* Returns whether INNER was inlined into OUTER, at the same address. */
static bool is_location_inlined_in(
	const struct location *inner, const struct location *outer)
{
	return inner->is_inlined && inner->dso == outer->dso &&
		inner->start == outer->start && inner->place == outer->place &&
		inner->depth + 1u == outer->depth;
}

/*
 * Returns the number of functions that frame NUMBER of MOMENT is inlined into,
 * at the same address.
 */
static uint32_t count_inlining_functions(const struct resolver *resolver,
	const struct timeline_moment *moment, size_t number)
{
	uint32_t n = 0;

	while (number &&
		is_location_inlined_in(
			resolver_location(resolver, moment->frames[number]),
			resolver_location(
				resolver, moment->frames[number - 1]))) {
		number--;
		n++;
	}
	return n;
}

uint32_t firefox_stack(struct firefox_tables *tables,
	struct function_numbers *functions, const struct input *input,
	const struct timeline_moment *moment)
{
	struct firefox_stack stack = { .prefix = FIREFOX_NONE };
	size_t n = moment->n + (moment->state != OFFCPU_STATE_ON), i;

	for (i = 0; i < n; i++) {
		struct firefox_frame frame = { .location = FIREFOX_MARKS +
				moment->state };

		if (i < moment->n)
			frame = (struct firefox_frame){
				.location = moment->frames[i],
				.inlined = count_inlining_functions(
					functions->resolver, moment, i),
			};
		stack.frame = find_firefox_frame(tables, functions, &frame);
		stack.prefix = find_firefox_stack(tables, input, &stack);
		if (stack.prefix == FIREFOX_NONE)
			break;
	}
	return stack.prefix;
}

void firefox_libs_init(
	struct firefox_libs *libs, const struct function_numbers *functions)
{
	ARRAY(uint32_t) by_name = { 0 };

	*libs = (struct firefox_libs){ 0 };
	array_each(&functions->at, function) {
		uint32_t *lib;

		while (by_name.n <= function->dso_name)
			*array_push(&by_name) = FIREFOX_NONE;
		lib = &by_name.at[function->dso_name];
		if (function->has_dso && *lib == FIREFOX_NONE) {
			*lib = (uint32_t)libs->at.n;
			*array_push(&libs->at) = function;
		}
		*array_push(&libs->by_function) = *lib;
	}
	array_free(&by_name);
}

void firefox_libs_deinit(struct firefox_libs *libs)
{
	array_free(&libs->at);
	array_free(&libs->by_function);
}

/* --- writing the tables of one thread ------------------------------------ */

struct table_writer {
	const struct firefox_tables *tables;
	const struct function_numbers *functions;
	const struct firefox_libs *libs;
	struct outflow *out;
	struct json *json; /* writes to .out */
	struct string_table texts;
	ARRAY(uint32_t)
	resources; /* for each row of resourceTable: index in
				    * .libs */
};

static void put_table_number(struct table_writer *to, uint64_t number)
{
	json_unsigned(to->json, NULL, number);
}

static void put_number_or_null(
	struct table_writer *to, uint32_t number, bool is_known)
{
	if (is_known)
		put_table_number(to, number);
	else
		json_null(to->json, NULL);
}

/* Returns the location of FRAME, or NULL if FRAME is a thread state. */
static const struct location *frame_location(
	struct table_writer *to, size_t frame)
{
	uint32_t location = to->tables->frames.at[frame].location;

	return location < FIREFOX_MARKS
		? resolver_location(to->functions->resolver, location)
		: NULL;
}

static void put_frame_address(struct table_writer *to, size_t row)
{
	const struct location *at = frame_location(to, row);

	if (at && at->dso && !at->is_collapsed)
		put_table_number(to, at->start + at->place - at->back);
	else
		json_signed(to->json, NULL, -1);
}

static enum firefox_category frame_category(
	struct table_writer *to, size_t frame)
{
	const struct location *at = frame_location(to, frame);
	char level = at ? at->level : 0;

	if (level == '.' || level == 'u')
		return FIREFOX_USER;
	return level == 'k' || level == 'g' ? FIREFOX_KERNEL : FIREFOX_OTHER;
}

static const struct function_numbered *table_function(
	struct table_writer *to, size_t row)
{
	return function_numbers_at(
		to->functions, to->tables->functions.at[row]);
}

static void put_function_resource(struct table_writer *to, size_t row)
{
	uint32_t lib = to->libs->by_function.at[to->tables->functions.at[row]];
	uint32_t i;

	if (lib == FIREFOX_NONE) {
		json_signed(to->json, NULL, -1);
		return;
	}
	for (i = 0; i < to->resources.n; i++)
		if (to->resources.at[i] == lib)
			break;
	if (i == to->resources.n)
		*array_push(&to->resources) = lib;
	put_table_number(to, i);
}

enum table_cell {
	CELL_NULL,
	CELL_FALSE,
	CELL_ZERO,
	CELL_ONE,
	CELL_FRAME_ADDRESS,
	CELL_FRAME_DEPTH,
	CELL_FRAME_CATEGORY,
	CELL_FRAME_FUNCTION,
	CELL_FRAME_LINE,
	CELL_FUNCTION_NAME,
	CELL_FUNCTION_FILE,
	CELL_FUNCTION_LINE,
	CELL_FUNCTION_RESOURCE,
	CELL_STACK_PREFIX,
	CELL_STACK_FRAME,
	CELL_STACK_CATEGORY,
	CELL_RESOURCE_LIB,
	CELL_RESOURCE_NAME,
	CELL_TEXT,
};

static void put_table_cell(
	struct table_writer *to, enum table_cell cell, size_t row)
{
	const struct firefox_tables *tables = to->tables;
	struct resolver *resolver = to->functions->resolver;
	const char *text;
	uint32_t number;

	switch (cell) {
	case CELL_NULL: json_null(to->json, NULL); break;
	case CELL_FALSE: json_bool(to->json, NULL, false); break;
	case CELL_ZERO: put_table_number(to, 0); break;
	case CELL_ONE: put_table_number(to, 1); break;
	case CELL_FRAME_ADDRESS: put_frame_address(to, row); break;
	case CELL_FRAME_DEPTH:
		put_table_number(to, tables->frames.at[row].inlined);
		break;
	case CELL_FRAME_CATEGORY:
		put_table_number(to, frame_category(to, row));
		break;
	case CELL_FRAME_FUNCTION:
		put_table_number(to, tables->frames.at[row].function);
		break;
	case CELL_FRAME_LINE:
		number = frame_location(to, row)
			? resolver_line(
				  resolver, tables->frames.at[row].location)
				  .line
			: 0;
		put_number_or_null(to, number, number);
		break;
	case CELL_FUNCTION_NAME:
		put_table_number(to,
			string_table_intern(
				&to->texts, table_function(to, row)->name));
		break;
	case CELL_FUNCTION_FILE:
		text = table_function(to, row)->at.file;
		put_number_or_null(to,
			text ? string_table_intern(&to->texts, text) : 0, text);
		break;
	case CELL_FUNCTION_LINE:
		number = table_function(to, row)->at.line;
		put_number_or_null(to, number, number);
		break;
	case CELL_FUNCTION_RESOURCE: put_function_resource(to, row); break;
	case CELL_STACK_PREFIX:
		number = tables->stacks.at[row].prefix;
		put_number_or_null(to, number, number != FIREFOX_NONE);
		break;
	case CELL_STACK_FRAME:
		put_table_number(to, tables->stacks.at[row].frame);
		break;
	case CELL_STACK_CATEGORY:
		put_table_number(
			to, frame_category(to, tables->stacks.at[row].frame));
		break;
	case CELL_RESOURCE_LIB:
		put_table_number(to, to->resources.at[row]);
		break;
	case CELL_RESOURCE_NAME:
		text = resolver_dso_name(resolver,
			to->libs->at.at[to->resources.at[row]]->dso_name);
		put_table_number(to, string_table_intern(&to->texts, text));
		break;
	case CELL_TEXT:
		json_visible(to->json, NULL,
			string_table_at(&to->texts, (uint32_t)row));
		break;
	}
}

struct table_column {
	const char *name;
	enum table_cell cell;
};

/* Writes column NAME of N rows. */
static void put_table_column(
	struct table_writer *to, size_t n, const struct table_column *column)
{
	size_t i;

	json_begin_array(to->json, column->name);
	to->json->is_compact = true;
	for (i = 0; i < n; i++) {
		put_table_cell(to, column->cell, i);
		outflow_some(to->out);
	}
	to->json->is_compact = false;
	json_end_array(to->json);
	json_line(to->json, "\n");
}

/* Writes the table NAME of N rows. COLUMNS end with one without a name. */
static void put_table(struct table_writer *to, const char *name, size_t n,
	const struct table_column *columns)
{
	json_begin_object(to->json, name);
	for (; columns->name; columns++)
		put_table_column(to, n, columns);
	json_unsigned(to->json, "length", n);
	json_end_object(to->json);
	json_line(to->json, "\n");
}

void firefox_put_tables(const struct firefox_tables *tables,
	const struct function_numbers *functions,
	const struct firefox_libs *libs, struct outflow *out, struct json *json)
{
	static const struct table_column frames[] = {
		{ "address", CELL_FRAME_ADDRESS },
		{ "inlineDepth", CELL_FRAME_DEPTH },
		{ "category", CELL_FRAME_CATEGORY },
		{ "subcategory", CELL_ZERO },
		{ "func", CELL_FRAME_FUNCTION },
		{ "nativeSymbol", CELL_NULL },
		{ "innerWindowID", CELL_ZERO },
		{ "implementation", CELL_NULL },
		{ "line", CELL_FRAME_LINE },
		{ "column", CELL_NULL },
		{ .name = NULL },
	};
	static const struct table_column own_functions[] = {
		{ "name", CELL_FUNCTION_NAME },
		{ "isJS", CELL_FALSE },
		{ "relevantForJS", CELL_FALSE },
		{ "resource", CELL_FUNCTION_RESOURCE },
		{ "fileName", CELL_FUNCTION_FILE },
		{ "lineNumber", CELL_FUNCTION_LINE },
		{ "columnNumber", CELL_NULL },
		{ .name = NULL },
	};
	static const struct table_column stacks[] = {
		{ "prefix", CELL_STACK_PREFIX },
		{ "frame", CELL_STACK_FRAME },
		{ "category", CELL_STACK_CATEGORY },
		{ "subcategory", CELL_ZERO },
		{ .name = NULL },
	};
	/* In Firefox's resourceTable, type 1 is a library. */
	static const struct table_column resources[] = {
		{ "lib", CELL_RESOURCE_LIB },
		{ "name", CELL_RESOURCE_NAME },
		{ "host", CELL_NULL },
		{ "type", CELL_ONE },
		{ .name = NULL },
	};
	struct table_writer to = { tables, functions, libs, out, json };

	put_table(&to, "frameTable", tables->frames.n, frames);
	put_table(&to, "funcTable", tables->functions.n, own_functions);
	put_table(&to, "stackTable", tables->stacks.n, stacks);
	put_table(&to, "resourceTable", to.resources.n, resources);
	put_table_column(&to, to.texts.at.n,
		&(struct table_column){ "stringArray", CELL_TEXT });
	string_table_deinit(&to.texts);
	array_free(&to.resources);
}
