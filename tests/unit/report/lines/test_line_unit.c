/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units made by the test: their frames, and that damage is harmless. */
#include "config.h"

#include "common/file/line_builder.h"

#include "tests/unit/testing.h"

#define BASE 0x401000u

static struct line_builder builder;
static struct line_unit *unit;

static int begin(void **state _unused_)
{
	line_builder_init(&builder, BASE);
	return 0;
}

static int end(void **state _unused_)
{
	line_builder_deinit(&builder);
	free(unit);
	unit = NULL;
	return 0;
}

static uint32_t add_function(const char *name, uint32_t line)
{
	const struct line_function function = {
		.name = line_builder_text(&builder, name),
		.qualified = line_builder_text(&builder, "outer::inner"),
		.file = line_builder_text(&builder, "/src/b.h"),
		.line = line,
		.column = 4,
		.flags = LINE_LAMBDA,
	};

	return line_builder_function(&builder, &function);
}

static uint32_t add_node_of(uint32_t function, uint32_t parent, uint32_t line)
{
	const struct line_node node = { parent, function,
		line_builder_text(&builder, "/src/a.c"), line };

	return line_builder_node(&builder, &node);
}

static uint32_t add_node(uint32_t parent, const char *name, uint32_t line)
{
	const struct line_function function = {
		.name = line_builder_text(&builder, name),
		.qualified = LINE_NONE,
		.file = LINE_NONE,
	};

	return add_node_of(
		line_builder_function(&builder, &function), parent, line);
}

static void add_row(uint32_t at, const char *file, uint32_t line)
{
	line_builder_row(
		&builder, BASE + at, line_builder_text(&builder, file), line);
}

static void finish(void)
{
	unit = line_builder_finish(&builder);
	assert_true(line_unit_is_sound(unit, line_unit_size(unit)));
}

/* EXPECTED is "inner /src/b.c:7; outer /src/a.c:3; - /src/a.c:2". */
static void assert_frames(uint32_t at, const char *expected)
{
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t n = line_unit_frames(unit, BASE + at, frames), i;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_puts(&text, "");
	for (i = 0; i < n; i++)
		strbuf_printf(&text, "%s%s %s:%u", i ? "; " : "",
			frames[i].name ?: "-", frames[i].file ?: "?",
			frames[i].line);
	assert_string_equal(text.at, expected);
}

static void a_row_of_the_line_table_ends_at_the_next_row(void **state _unused_)
{
	add_row(0, "/src/a.c", 1);
	add_row(8, "/src/a.c", 2);
	add_row(8, "/src/b.c", 3);
	add_row(16, NULL, 0);
	finish();
	assert_frames(0, "- /src/a.c:1");
	assert_frames(7, "- /src/a.c:1");
	assert_frames(8, "- /src/b.c:3");
	assert_frames(15, "- /src/b.c:3");
	assert_frames(16, "");
	assert_frames((uint32_t)-1, "");
}

static uint64_t until(uint32_t at)
{
	uint64_t end = line_unit_until(unit, BASE + at);

	return end == UINT64_MAX ? end : end - BASE;
}

static void a_range_of_equal_frames_ends_where_line_or_frames_change(
	void **state _unused_)
{
	uint32_t inlined;

	add_row(4, "/src/a.c", 1);
	add_row(16, NULL, 0);
	inlined = add_node(LINE_NONE, "inlined", 5);
	line_builder_stretch(&builder, BASE + 8, BASE + 10, inlined, 1);
	finish();
	assert_int_equal(until((uint32_t)-8), 4);
	assert_int_equal(until(0), 4);
	assert_int_equal(until(4), 8);
	assert_int_equal(until(7), 8);
	assert_int_equal(until(8), 10);
	assert_int_equal(until(10), 16);
	assert_int_equal(until(16), UINT64_MAX);
}

static void rows_of_the_line_table_can_be_added_in_any_order(
	void **state _unused_)
{
	add_row(8, "/src/a.c", 2);
	add_row(16, NULL, 0);
	add_row(0, "/src/a.c", 1);
	finish();
	assert_frames(4, "- /src/a.c:1");
	assert_frames(12, "- /src/a.c:2");
}

static void the_innermost_inlined_frame_is_first(void **state _unused_)
{
	uint32_t outer = add_node(LINE_NONE, "outer", 2);
	uint32_t inner = add_node(outer, "inner", 3);

	add_row(0, "/src/b.c", 7);
	add_row(64, NULL, 0);
	line_builder_stretch(&builder, BASE + 20, BASE + 24, inner, 2);
	line_builder_stretch(&builder, BASE + 16, BASE + 32, outer, 1);
	finish();
	assert_frames(15, "- /src/b.c:7");
	assert_frames(16, "outer /src/b.c:7; - /src/a.c:2");
	assert_frames(20, "inner /src/b.c:7; outer /src/a.c:3; - /src/a.c:2");
	assert_frames(24, "outer /src/b.c:7; - /src/a.c:2");
	assert_frames(32, "- /src/b.c:7");
}

static void nested_inlined_functions_of_the_same_range_keep_their_order(
	void **state _unused_)
{
	uint32_t outer = add_node(LINE_NONE, "outer", 2);
	uint32_t inner = add_node(outer, "inner", 3);

	add_row(0, "/src/b.c", 7);
	line_builder_stretch(&builder, BASE + 8, BASE + 16, inner, 2);
	line_builder_stretch(&builder, BASE + 8, BASE + 16, outer, 1);
	line_builder_stretch(&builder, BASE + 16, BASE + 20, outer, 1);
	finish();
	assert_frames(8, "inner /src/b.c:7; outer /src/a.c:3; - /src/a.c:2");
	assert_frames(16, "outer /src/b.c:7; - /src/a.c:2");
	assert_frames(20, "- /src/b.c:7");
}

static void the_range_of_an_inlined_function_is_limited_to_its_caller(
	void **state _unused_)
{
	uint32_t outer = add_node(LINE_NONE, "outer", 2);
	uint32_t inner = add_node(outer, "inner", 3);

	add_row(0, "/src/b.c", 7);
	line_builder_stretch(&builder, BASE + 8, BASE + 16, outer, 1);
	line_builder_stretch(&builder, BASE + 12, BASE + 40, inner, 2);
	finish();
	assert_frames(12, "inner /src/b.c:7; outer /src/a.c:3; - /src/a.c:2");
	assert_frames(16, "- /src/b.c:7");
}

static void inlined_frames_have_the_declaration_of_their_function(
	void **state _unused_)
{
	uint32_t outer = add_node(LINE_NONE, "outer", 2);
	uint32_t inner = add_node_of(add_function("inner", 9), outer, 3);
	struct line_frame frames[LINE_DEPTH_MAX];

	line_builder_stretch(&builder, BASE, BASE + 16, outer, 1);
	line_builder_stretch(&builder, BASE, BASE + 16, inner, 2);
	finish();
	assert_int_equal(line_unit_frames(unit, BASE, frames), 3);
	assert_string_equal(frames[0].name, "inner");
	assert_string_equal(frames[0].declared.qualified, "outer::inner");
	assert_string_equal(frames[0].declared.file, "/src/b.h");
	assert_int_equal(frames[0].declared.line, 9);
	assert_int_equal(frames[0].declared.column, 4);
	assert_true(frames[0].declared.is_lambda);
	assert_null(frames[1].declared.qualified);
	assert_null(frames[1].declared.file);
	assert_false(frames[1].declared.is_lambda);
	assert_null(frames[2].name);
}

static void equal_inlined_functions_are_stored_once(void **state _unused_)
{
	uint32_t function = add_function("inner", 9);

	assert_int_equal(add_function("inner", 9), function);
	assert_int_not_equal(add_function("inner", 10), function);
	assert_int_not_equal(add_function("other", 9), function);
	assert_int_equal(add_function(NULL, 9), LINE_NONE);
	assert_int_equal(add_node_of(LINE_NONE, LINE_NONE, 1), LINE_NONE);
	finish();
	assert_int_equal(unit->n_functions, 3);
}

static void a_unit_with_text_offsets_out_of_range_is_refused(
	void **state _unused_)
{
	struct line_function *function;

	add_node_of(add_function("inner", 9), LINE_NONE, 1);
	finish();
	function = line_unit_functions(unit);
	function->qualified = unit->texts_size;
	assert_false(line_unit_is_sound(unit, line_unit_size(unit)));
	function->qualified = LINE_NONE;
	assert_true(line_unit_is_sound(unit, line_unit_size(unit)));
	function->file = unit->texts_size;
	assert_false(line_unit_is_sound(unit, line_unit_size(unit)));
	function->file = LINE_NONE;
	function->name = LINE_NONE;
	assert_false(line_unit_is_sound(unit, line_unit_size(unit)));
	function->name = 0;
	line_unit_nodes(unit)[0].function = 1;
	assert_false(line_unit_is_sound(unit, line_unit_size(unit)));
}

static void adjacent_address_ranges_are_merged(void **state _unused_)
{
	line_builder_range(&builder, BASE + 32, BASE + 64);
	line_builder_range(&builder, BASE, BASE + 32);
	line_builder_range(&builder, BASE + 80, BASE + 96);
	line_builder_range(&builder, 0, 16);
	finish();
	assert_int_equal(unit->n_ranges, 2);
	assert_int_equal(line_unit_ranges(unit)[0].end, 64);
}

/* A unit with any damaged byte is refused or harmless. */
static void damaged_line_units_are_refused_or_harmless(void **state _unused_)
{
	uint32_t outer = add_node(LINE_NONE, "outer", 2);
	struct line_frame frames[LINE_DEPTH_MAX];
	size_t size, i, at, n_refused = 0;

	add_node_of(add_function("inner", 9), outer, 3);
	add_row(0, "/src/b.c", 7);
	line_builder_range(&builder, BASE, BASE + 32);
	line_builder_stretch(&builder, BASE + 8, BASE + 16, 1, 1);
	finish();
	size = line_unit_size(unit);
	for (i = 0; i < size; i++) {
		_cleanup_free_ uint8_t *copy = exact_copy(unit, size);

		copy[i] ^= 0xff;
		if (!line_unit_is_sound((struct line_unit *)copy, size)) {
			n_refused++;
			continue;
		}
		for (at = 0; at < 40; at++)
			line_unit_frames(
				(struct line_unit *)copy, BASE + at, frames);
	}
	assert_true(n_refused > 50);
	assert_false(line_unit_is_sound(unit, size - 1));
	assert_false(line_unit_is_sound(unit, 4));
}

static void a_unit_with_a_cycle_of_inlined_callers_is_refused(
	void **state _unused_)
{
	add_node(LINE_NONE, "outer", 2);
	add_row(0, "/src/b.c", 7);
	line_builder_stretch(&builder, BASE, BASE + 16, 0, 1);
	finish();
	line_unit_nodes(unit)[0].parent = 0;
	assert_false(line_unit_is_sound(unit, line_unit_size(unit)));
}

#define CASE_WITH(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE_WITH(a_row_of_the_line_table_ends_at_the_next_row),
		CASE_WITH(
			a_range_of_equal_frames_ends_where_line_or_frames_change),
		CASE_WITH(rows_of_the_line_table_can_be_added_in_any_order),
		CASE_WITH(the_innermost_inlined_frame_is_first),
		CASE_WITH(
			nested_inlined_functions_of_the_same_range_keep_their_order),
		CASE_WITH(
			the_range_of_an_inlined_function_is_limited_to_its_caller),
		CASE_WITH(
			inlined_frames_have_the_declaration_of_their_function),
		CASE_WITH(equal_inlined_functions_are_stored_once),
		CASE_WITH(a_unit_with_text_offsets_out_of_range_is_refused),
		CASE_WITH(adjacent_address_ranges_are_merged),
		CASE_WITH(damaged_line_units_are_refused_or_harmless),
		CASE_WITH(a_unit_with_a_cycle_of_inlined_callers_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
