/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/export/firefox.h"

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
	char name[THREAD_STATE_SIZE];
	frame.function = table_function_number(tables,
		wanted->location < FIREFOX_MARKS
			? function_numbers_find(functions, wanted->location)
			: function_numbers_find_mark(functions,
				  thread_state_mark(
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
	if (!input_reserve(input, STACK_COST))
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
	size_t n = moment->n + (moment->state != STATE_ON), i;

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

/* Writes column NAME; VALUE() writes the cell of each of the N rows. */
static void put_table_column(struct table_writer *to, const char *name,
	size_t n, void (*value)(struct table_writer *to, size_t row))
{
	size_t i;

	json_begin_array(to->json, name);
	to->json->is_compact = true;
	for (i = 0; i < n; i++) {
		value(to, i);
		outflow_some(to->out);
	}
	to->json->is_compact = false;
	json_end_array(to->json);
	json_line(to->json, "\n");
}

/* Ends a table of N rows. */
static void end_table(struct table_writer *to, size_t n)
{
	json_unsigned(to->json, "length", n);
	json_end_object(to->json);
	json_line(to->json, "\n");
}

static void put_table_number(struct table_writer *to, uint64_t number)
{
	json_unsigned(to->json, NULL, number);
}

static void put_null_cell(struct table_writer *to, size_t row _unused_)
{
	json_null(to->json, NULL);
}

static void put_zero_cell(struct table_writer *to, size_t row _unused_)
{
	json_unsigned(to->json, NULL, 0);
}

static void put_false_cell(struct table_writer *to, size_t row _unused_)
{
	json_bool(to->json, NULL, false);
}

static void put_number_or_null(
	struct table_writer *to, uint32_t number, bool is_known)
{
	if (is_known)
		put_table_number(to, number);
	else
		put_null_cell(to, 0);
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

static void put_inline_depth(struct table_writer *to, size_t row)
{
	put_table_number(to, to->tables->frames.at[row].inlined);
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

static void put_frame_category(struct table_writer *to, size_t row)
{
	put_table_number(to, frame_category(to, row));
}

static void put_frame_function(struct table_writer *to, size_t row)
{
	put_table_number(to, to->tables->frames.at[row].function);
}

static void put_frame_line(struct table_writer *to, size_t row)
{
	uint32_t line = frame_location(to, row)
		? resolver_line(to->functions->resolver,
			  to->tables->frames.at[row].location)
			  .line
		: 0;

	put_number_or_null(to, line, line);
}

static void put_frame_table(struct table_writer *to)
{
	size_t n = to->tables->frames.n;

	json_begin_object(to->json, "frameTable");
	put_table_column(to, "address", n, put_frame_address);
	put_table_column(to, "inlineDepth", n, put_inline_depth);
	put_table_column(to, "category", n, put_frame_category);
	put_table_column(to, "subcategory", n, put_zero_cell);
	put_table_column(to, "func", n, put_frame_function);
	put_table_column(to, "nativeSymbol", n, put_null_cell);
	put_table_column(to, "innerWindowID", n, put_zero_cell);
	put_table_column(to, "implementation", n, put_null_cell);
	put_table_column(to, "line", n, put_frame_line);
	put_table_column(to, "column", n, put_null_cell);
	end_table(to, n);
}

static const struct numbered_function *table_function(
	struct table_writer *to, size_t row)
{
	return function_numbers_at(
		to->functions, to->tables->functions.at[row]);
}

static void put_function_name(struct table_writer *to, size_t row)
{
	put_table_number(to,
		string_table_intern(&to->texts, table_function(to, row)->name));
}

static void put_function_file(struct table_writer *to, size_t row)
{
	const char *file = table_function(to, row)->at.file;

	put_number_or_null(
		to, file ? string_table_intern(&to->texts, file) : 0, file);
}

static void put_function_line(struct table_writer *to, size_t row)
{
	uint32_t line = table_function(to, row)->at.line;

	put_number_or_null(to, line, line);
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

static void put_function_table(struct table_writer *to)
{
	size_t n = to->tables->functions.n;

	json_begin_object(to->json, "funcTable");
	put_table_column(to, "name", n, put_function_name);
	put_table_column(to, "isJS", n, put_false_cell);
	put_table_column(to, "relevantForJS", n, put_false_cell);
	put_table_column(to, "resource", n, put_function_resource);
	put_table_column(to, "fileName", n, put_function_file);
	put_table_column(to, "lineNumber", n, put_function_line);
	put_table_column(to, "columnNumber", n, put_null_cell);
	end_table(to, n);
}

static void put_stack_prefix(struct table_writer *to, size_t row)
{
	uint32_t prefix = to->tables->stacks.at[row].prefix;

	put_number_or_null(to, prefix, prefix != FIREFOX_NONE);
}

static void put_stack_frame(struct table_writer *to, size_t row)
{
	put_table_number(to, to->tables->stacks.at[row].frame);
}

static void put_stack_category(struct table_writer *to, size_t row)
{
	put_table_number(
		to, frame_category(to, to->tables->stacks.at[row].frame));
}

static void put_resource_lib(struct table_writer *to, size_t row)
{
	put_table_number(to, to->resources.at[row]);
}

static void put_resource_name(struct table_writer *to, size_t row)
{
	const struct numbered_function *in =
		to->libs->at.at[to->resources.at[row]];

	put_table_number(to,
		string_table_intern(&to->texts,
			resolver_dso_name(
				to->functions->resolver, in->dso_name)));
}

/* In Firefox's resourceTable, type 1 is a library. */
static void put_resource_type(struct table_writer *to, size_t row _unused_)
{
	put_table_number(to, 1);
}

static void put_table_text(struct table_writer *to, size_t row)
{
	json_visible(
		to->json, NULL, string_table_at(&to->texts, (uint32_t)row));
}

void firefox_put_tables(const struct firefox_tables *tables,
	const struct function_numbers *functions,
	const struct firefox_libs *libs, struct outflow *out, struct json *json)
{
	struct table_writer to = { tables, functions, libs, out, json };

	put_frame_table(&to);
	put_function_table(&to);
	size_t n = to.tables->stacks.n;
	json_begin_object(to.json, "stackTable");
	put_table_column(&to, "prefix", n, put_stack_prefix);
	put_table_column(&to, "frame", n, put_stack_frame);
	put_table_column(&to, "category", n, put_stack_category);
	put_table_column(&to, "subcategory", n, put_zero_cell);
	end_table(&to, n);
	n = to.resources.n;

	json_begin_object(to.json, "resourceTable");
	put_table_column(&to, "lib", n, put_resource_lib);
	put_table_column(&to, "name", n, put_resource_name);
	put_table_column(&to, "host", n, put_null_cell);
	put_table_column(&to, "type", n, put_resource_type);
	end_table(&to, n);
	put_table_column(&to, "stringArray", to.texts.at.n, put_table_text);
	string_table_deinit(&to.texts);
	array_free(&to.resources);
}
