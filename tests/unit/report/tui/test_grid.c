/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/grid.h"

#include <locale.h>

#include "tests/unit/testing.h"

static void assert_line(
	const struct grid *grid, size_t line, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	grid_line_text(grid, line, &text);
	assert_text(&text, wanted);
}

static struct grid make_grid(size_t columns)
{
	struct grid grid = { .has_utf8 = true };

	grid_resize(&grid, 1, columns);
	return grid;
}

static void text_ends_where_the_line_does(void **state _unused_)
{
	struct grid grid = make_grid(6);
	struct grid_pen pen = grid_pen(&grid, 0);

	grid_put(&pen, GRID_PLAIN, "ab");
	grid_fill(&pen, GRID_PLAIN, 2);
	grid_printf(&pen, GRID_HOT, "%d", 1234);
	assert_line(&grid, 0, "ab  12");
	assert_int_equal(grid.at[4].style, GRID_HOT);
	grid_clear(&grid);
	assert_line(&grid, 0, "");
	grid_deinit(&grid);
}

static void lines_that_are_not_there_are_no_matter(void **state _unused_)
{
	struct grid grid = make_grid(6);
	struct grid_pen pen = grid_pen(&grid, 1);

	grid_put(&pen, GRID_PLAIN, "ab");
	grid_choose(&grid, 1);
	grid_choose(&grid, 0);
	assert_true(grid.at[5].is_chosen);
	assert_line(&grid, 0, "");
	grid_deinit(&grid);
}

static void what_is_skipped_takes_its_columns(void **state _unused_)
{
	struct grid grid = make_grid(8);
	struct grid_pen pen = grid_pen(&grid, 0);

	pen.skip = 3;
	grid_put(&pen, GRID_PLAIN, "ab");
	grid_put(&pen, GRID_PLAIN, "cdef");
	assert_line(&grid, 0, "def");
	grid_deinit(&grid);
}

static void wide_characters_are_whole_or_blank(void **state _unused_)
{
	struct grid grid = make_grid(5);
	struct grid_pen pen = grid_pen(&grid, 0);

	grid_put(&pen, GRID_PLAIN, "\u4e00\u4e8c\u4e09");
	assert_line(&grid, 0, "\u4e00\u4e8c");
	assert_int_equal(grid.at[1].character, 0);
	grid_clear(&grid);
	pen = grid_pen(&grid, 0);
	pen.skip = 1;
	grid_put(&pen, GRID_PLAIN, "\u4e00x");
	assert_line(&grid, 0, " x");
	assert_int_equal(grid_width("\u4e00x\u00e9"), 4);
	grid_deinit(&grid);
}

/* Right-to-left override, a combining accent, a C1 control character. */
static void marks_without_a_width_are_shown_as_such(void **state _unused_)
{
	struct grid grid = make_grid(10);
	struct grid_pen pen = grid_pen(&grid, 0);

	grid_put(&pen, GRID_PLAIN, "a\u202ebe\u0301c\xc2\x9b");
	assert_line(&grid, 0, "a?be?c?");
	assert_int_equal(grid_width("a\u202ebe\u0301c\xc2\x9b"), 7);
	grid_deinit(&grid);
}

static void tabs_go_to_their_columns_and_controls_nowhere(
	void **state _unused_)
{
	struct grid grid = make_grid(20);
	struct grid_pen pen = grid_pen(&grid, 0);

	grid_put(&pen, GRID_PLAIN, "a\tb\033[31m\rc");
	assert_line(&grid, 0, "a       b?[31m?c");
	grid_clear(&grid);
	pen = grid_pen(&grid, 0);
	pen.skip = 2;
	grid_put(&pen, GRID_PLAIN, "ab\tc");
	assert_line(&grid, 0, "      c");
	grid_deinit(&grid);
}

static void without_utf8_all_is_ascii(void **state _unused_)
{
	struct grid grid = make_grid(10);
	struct grid_pen pen = grid_pen(&grid, 0);

	grid.has_utf8 = false;
	grid_put(&pen, GRID_PLAIN, "\u00e9t\u00e9");
	assert_line(&grid, 0, "?t?");
	grid_deinit(&grid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_ends_where_the_line_does),
		cmocka_unit_test(lines_that_are_not_there_are_no_matter),
		cmocka_unit_test(what_is_skipped_takes_its_columns),
		cmocka_unit_test(wide_characters_are_whole_or_blank),
		cmocka_unit_test(marks_without_a_width_are_shown_as_such),
		cmocka_unit_test(
			tabs_go_to_their_columns_and_controls_nowhere),
		cmocka_unit_test(without_utf8_all_is_ascii),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
