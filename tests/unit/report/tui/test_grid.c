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

static void text_is_cut_at_the_end_of_the_line(void **state _unused_)
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

static void lines_outside_the_grid_are_ignored(void **state _unused_)
{
	struct grid grid = make_grid(6);
	struct grid_pen pen = grid_pen(&grid, 1);

	grid_put(&pen, GRID_PLAIN, "ab");
	grid_highlight(&grid, 1);
	grid_highlight(&grid, 0);
	assert_true(grid.at[5].is_highlighted);
	assert_line(&grid, 0, "");
	grid_deinit(&grid);
}

static void skipped_columns_of_text_are_not_drawn(void **state _unused_)
{
	struct grid grid = make_grid(8);
	struct grid_pen pen = grid_pen(&grid, 0);

	pen.skip = 3;
	grid_put(&pen, GRID_PLAIN, "ab");
	grid_put(&pen, GRID_PLAIN, "cdef");
	assert_line(&grid, 0, "def");
	grid_deinit(&grid);
}

static void a_cut_wide_character_becomes_blank(void **state _unused_)
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
static void characters_without_width_become_question_marks(
	void **state _unused_)
{
	struct grid grid = make_grid(10);
	struct grid_pen pen = grid_pen(&grid, 0);

	grid_put(&pen, GRID_PLAIN, "a\u202ebe\u0301c\xc2\x9b");
	assert_line(&grid, 0, "a?be?c?");
	assert_int_equal(grid_width("a\u202ebe\u0301c\xc2\x9b"), 7);
	grid_deinit(&grid);
}

static void tabs_align_and_control_characters_are_replaced(
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

static void non_ascii_text_is_replaced_on_terminals_without_utf8(
	void **state _unused_)
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
		cmocka_unit_test(text_is_cut_at_the_end_of_the_line),
		cmocka_unit_test(lines_outside_the_grid_are_ignored),
		cmocka_unit_test(skipped_columns_of_text_are_not_drawn),
		cmocka_unit_test(a_cut_wide_character_becomes_blank),
		cmocka_unit_test(
			characters_without_width_become_question_marks),
		cmocka_unit_test(
			tabs_align_and_control_characters_are_replaced),
		cmocka_unit_test(
			non_ascii_text_is_replaced_on_terminals_without_utf8),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
