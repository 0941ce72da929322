/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/terminal.h"
#include "report/tui/tui_lines.h"
#include "report/tui/tui_page.h"
#include "report/tui/tui_query.h"
#include "report/tui/tui_screen.h"

#include <locale.h>

#include "common/util/log.h"
#include "report/rows/fields.h"
#include "tests/unit/make_report.h"
#include "tests/unit/testing.h"

static const struct made_stack stacks[] = {
	{ 50, { MADE_LEAF, MADE_WORK, MADE_MAIN } },
	{ 30, { MADE_WORK, MADE_MAIN } },
	{ 15, { MADE_LEAF + 8, MADE_MAIN + 8 } },
	{ 5, { MADE_WORK + 8, MADE_WORK, MADE_MAIN } },
};

/* The input of a view. */
struct shown_report {
	struct options options;
	struct made_report report;
	struct result result;
	struct tui_lines lines;
};

static void add_column(struct hist_request *request, const char *name)
{
	request->columns.at[request->columns.n++].field = field_find(name);
}

/* Makes rows by function, with children and call graphs. */
static void show_report(struct shown_report *ret, struct option_graph graph)
{
	struct hist_request request = {
		.fields = { field_find("sym") },
		.n_fields = 1,
		.has_children = true,
		.has_chains = true,
		.wants_trees = true,
		.is_inverted = true,
	};

	*ret = (struct shown_report){ .options.graph = graph };
	make_report(stacks, ARRAY_SIZE(stacks),
		(struct scan_request){ .wants_chains = true }, &ret->report);
	add_column(&request, "overhead_children");
	add_column(&request, "overhead");
	add_column(&request, "sym");
	request.filter = &ret->report.filter;
	ret->result = (struct result){ .options = &ret->options,
		.inputs = ret->report.inputs,
		.scan = ret->report.scan,
		.resolver = ret->report.names.resolver,
		.names = ret->report.names,
		.request = request };
	hist_build(&ret->result.scan, 0, &request, &ret->result.names,
		array_push(&ret->result.hists));
	ret->result.forest =
		forest_create(&ret->result.scan, &ret->result.names);
	tui_lines_init(&ret->result, &ret->result.hists.at[0], &ret->lines);
	tui_lines_fit(&ret->lines, 4);
}

static void hide_report(struct shown_report *shown_report)
{
	tui_lines_deinit(&shown_report->lines);
	forest_destroy(shown_report->result.forest);
	hist_deinit(&shown_report->result.hists.at[0]);
	array_free(&shown_report->result.hists);
	made_report_deinit(&shown_report->report);
}

/* ">" marks the cursor. The value of a branch precedes its name. */
static void assert_lines(const struct tui_lines *lines, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf found = { 0 };
	size_t i;

	for (i = 0; i < lines->at.n; i++) {
		const struct tui_line *line = &lines->at.at[i];

		strbuf_putc(&found, i == lines->cursor ? '>' : ' ');
		strbuf_fill(&found, ' ', 2 * line->depth);
		strbuf_putc(&found, tui_lines_sign(lines, i));
		if (line->node && line->is_first) {
			tui_lines_put_value(lines, i, &found);
			strbuf_putc(&found, ' ');
		}
		tui_lines_put_text(lines, i, &found);
		while (found.at[found.n - 1] == ' ')
			found.at[--found.n] = 0;
		strbuf_putc(&found, '\n');
	}
	assert_text(&found, wanted);
}

static void rows_are_collapsed_at_first(void **state _unused_)
{
	struct shown_report shown_report;

	show_report(&shown_report, (struct option_graph){ 0 });
	assert_lines(&shown_report.lines,
		">+[.] main\n"
		" +[.] work\n"
		" +[.] leaf\n");
	hide_report(&shown_report);
}

static void an_only_branch_is_expanded_with_its_row(void **state _unused_)
{
	struct shown_report shown_report;

	show_report(&shown_report, (struct option_graph){ 0 });
	assert_true(tui_lines_toggle(&shown_report.lines));
	assert_lines(&shown_report.lines,
		">-[.] main\n"
		"   -100.00% main\n"
		"     +85.00% work\n"
		"      15.00% leaf\n"
		" +[.] work\n"
		" +[.] leaf\n");
	tui_lines_go(&shown_report.lines, 2);
	assert_true(tui_lines_toggle(&shown_report.lines));
	assert_lines(&shown_report.lines,
		" -[.] main\n"
		"   -100.00% main\n"
		">    -85.00% work\n"
		"        50.00% leaf\n"
		"        5.00% work\n"
		"      15.00% leaf\n"
		" +[.] work\n"
		" +[.] leaf\n");
	tui_lines_go(&shown_report.lines, 3);
	assert_false(tui_lines_toggle(&shown_report.lines));
	/* Collapsing and expanding keeps the state of the branches. */
	tui_lines_go(&shown_report.lines, 0);
	assert_true(tui_lines_toggle(&shown_report.lines));
	assert_int_equal(shown_report.lines.at.n, 3);
	assert_true(tui_lines_toggle(&shown_report.lines));
	assert_int_equal(shown_report.lines.at.n, 8);
	hide_report(&shown_report);
}

static void frames_shared_by_all_stacks_are_one_branch(void **state _unused_)
{
	struct shown_report shown_report;

	show_report(&shown_report, (struct option_graph){ 0 });
	tui_lines_go(&shown_report.lines, 2);
	assert_true(tui_lines_toggle_all(&shown_report.lines));
	assert_lines(&shown_report.lines,
		" +[.] main\n"
		" +[.] work\n"
		">-[.] leaf\n"
		"   -65.00% main\n"
		"     -50.00% work\n"
		"      leaf\n"
		"      15.00% leaf\n");
	/* On a further frame of a branch, the branch is collapsed. */
	tui_lines_go(&shown_report.lines, 5);
	assert_true(tui_lines_toggle(&shown_report.lines));
	assert_lines(&shown_report.lines,
		" +[.] main\n"
		" +[.] work\n"
		" -[.] leaf\n"
		"   -65.00% main\n"
		">    +50.00% work\n"
		"      15.00% leaf\n");
	assert_true(tui_lines_toggle_all(&shown_report.lines));
	assert_lines(&shown_report.lines,
		" +[.] main\n"
		" +[.] work\n"
		">+[.] leaf\n");
	hide_report(&shown_report);
}

static void all_rows_can_be_expanded_and_collapsed_at_once(
	void **state _unused_)
{
	struct shown_report shown_report;

	show_report(&shown_report, (struct option_graph){ 0 });
	tui_lines_go(&shown_report.lines, 1);
	tui_lines_expand_all(&shown_report.lines);
	assert_int_equal(shown_report.lines.at.n, 17);
	assert_int_equal(shown_report.lines.cursor, 6);
	tui_lines_go(&shown_report.lines, 8);
	tui_lines_collapse_all(&shown_report.lines);
	assert_lines(&shown_report.lines,
		" +[.] main\n"
		">+[.] work\n"
		" +[.] leaf\n");
	hide_report(&shown_report);
}

static void rows_below_the_graph_limit_can_be_expanded(void **state _unused_)
{
	struct shown_report shown_report;

	/* --stdio has call graphs only of rows with 70 % or more. */
	show_report(&shown_report, (struct option_graph){ .limit = 70 });
	tui_lines_expand_all(&shown_report.lines);
	assert_lines(&shown_report.lines,
		">-[.] main\n"
		"   -100.00% main\n"
		"      85.00% work\n"
		"  [.] work\n"
		" +[.] leaf\n");
	tui_lines_go(&shown_report.lines, SIZE_MAX);
	assert_true(tui_lines_toggle(&shown_report.lines));
	assert_lines(&shown_report.lines,
		" -[.] main\n"
		"   -100.00% main\n"
		"      85.00% work\n"
		"  [.] work\n"
		">-[.] leaf\n"
		"   -65.00% main\n"
		"     +50.00% work\n");
	hide_report(&shown_report);
}

static void fractal_percentages_are_relative_to_the_parent_branch(
	void **state _unused_)
{
	struct shown_report shown_report;

	show_report(&shown_report,
		(struct option_graph){ .style = OPTION_GRAPH_FRACTAL });
	tui_lines_toggle(&shown_report.lines);
	tui_lines_go(&shown_report.lines, 2);
	tui_lines_toggle(&shown_report.lines);
	assert_lines(&shown_report.lines,
		" -[.] main\n"
		"   -100.00% main\n"
		">    -85.00% work\n"
		"        90.91% leaf\n"
		"        9.09% work\n"
		"      15.00% leaf\n"
		" +[.] work\n"
		" +[.] leaf\n");
	hide_report(&shown_report);
}

static void the_screen_scrolls_with_the_cursor(void **state _unused_)
{
	struct shown_report shown_report;
	struct tui_lines *lines = &shown_report.lines;

	show_report(&shown_report, (struct option_graph){ 0 });
	tui_lines_expand_all(lines);
	tui_lines_go(lines, SIZE_MAX);
	assert_int_equal(lines->cursor, 16);
	assert_int_equal(lines->top, 13);
	tui_lines_go(lines, 12);
	assert_int_equal(lines->cursor, 12);
	assert_int_equal(lines->top, 12);
	tui_lines_go(lines, 0);
	assert_int_equal(lines->cursor, 0);
	assert_int_equal(lines->top, 0);
	tui_lines_go(lines, 3);
	assert_int_equal(lines->top, 0);
	tui_lines_go(lines, 4);
	assert_int_equal(lines->top, 1);
	/* No line is empty while more lines exist. */
	tui_lines_go(lines, SIZE_MAX);
	tui_lines_fit(lines, 100);
	assert_int_equal(lines->top, 0);
	tui_lines_fit(lines, 2);
	assert_int_equal(lines->cursor, 16);
	assert_int_equal(lines->top, 15);
	hide_report(&shown_report);
}

static void a_search_continues_at_the_other_end(void **state _unused_)
{
	struct shown_report shown_report;
	struct tui_lines *lines = &shown_report.lines;

	show_report(&shown_report, (struct option_graph){ 0 });
	assert_true(tui_lines_find(lines, "ea", true));
	assert_int_equal(lines->cursor, 2);
	assert_true(tui_lines_find(lines, "ma", true));
	assert_int_equal(lines->cursor, 0);
	assert_true(tui_lines_find(lines, "w", false));
	assert_int_equal(lines->cursor, 1);
	/* The only match is on the line of the cursor. */
	assert_true(tui_lines_find(lines, "work", true));
	assert_int_equal(lines->cursor, 1);
	assert_false(tui_lines_find(lines, "nowhere", true));
	assert_int_equal(lines->cursor, 1);
	assert_false(tui_lines_find(lines, "Main", true));
	tui_lines_expand_all(lines);
	tui_lines_go(lines, 0);
	assert_true(tui_lines_find(lines, "leaf", true));
	assert_int_equal(lines->cursor, 3);
	hide_report(&shown_report);
}

/* --- what is wanted ------------------------------------------------------ */

static void command_line_filters_are_removed_last(void **state _unused_)
{
	struct options given = { .filter.times = "1,2",
		.filter.row_part = "part" };
	struct options options;
	struct tui_query query;
	_cleanup_strbuf_ struct strbuf crumbs = { 0 };

	filter_add_names(&given.filter.comms, "a,b,c,d,e");
	tui_query_init(&given, &query);
	tui_query_push(&query, TUI_FILTER_NAME, "other");
	tui_query_put_crumbs(&query, ">", &crumbs);
	assert_text(
		&crumbs, " > time 1,2 > comm a,b,c and 2 more > name other");
	tui_query_apply(&query, &options);
	assert_int_equal(options.filter.comms.names.n, 5);
	assert_string_equal(options.filter.row_part, "other");
	assert_true(tui_query_pop(&query));
	tui_query_apply(&query, &options);
	assert_string_equal(options.filter.row_part, "part");
	assert_true(tui_query_pop(&query));
	assert_true(tui_query_pop(&query));
	tui_query_apply(&query, &options);
	assert_int_equal(options.filter.comms.names.n, 0);
	assert_null(options.filter.row_part);
	assert_string_equal(options.filter.times, "1,2");
	tui_query_deinit(&query);
	filter_deinit(&given.filter);
}

static void of_several_filters_of_one_kind_the_last_is_used(
	void **state _unused_)
{
	struct options given = { .rows.sort = "sym" }, options;
	struct tui_query first, query;
	_cleanup_strbuf_ struct strbuf crumbs = { 0 };

	tui_query_init(&given, &first);
	tui_query_push(&first, TUI_FILTER_COMM, "a");
	tui_query_push(&first, TUI_FILTER_THREAD, "12");
	tui_query_push(&first, TUI_FILTER_COMM, "b\033");
	tui_query_sort(&first, "dso");
	tui_query_copy(&first, &query);
	tui_query_deinit(&first);
	tui_query_apply(&query, &options);
	assert_string_equal(options.rows.sort, "dso");
	assert_int_equal(options.filter.comms.names.n, 1);
	assert_string_equal(options.filter.comms.names.at[0], "b\033");
	assert_int_equal(options.filter.tids.numbers.at[0], 12);
	tui_query_put_crumbs(&query, ">", &crumbs);
	assert_text(&crumbs, " > thread 12 > comm b\\x1b");
	assert_true(tui_query_pop(&query));
	assert_true(tui_query_pop(&query));
	tui_query_apply(&query, &options);
	assert_string_equal(options.filter.comms.names.at[0], "a");
	assert_int_equal(options.filter.tids.numbers.n, 0);
	strbuf_clear(&crumbs);
	tui_query_put_crumbs(&query, ">", &crumbs);
	assert_text(&crumbs, " > comm a");
	assert_true(tui_query_pop(&query));
	assert_false(tui_query_pop(&query));
	tui_query_apply(&query, &options);
	assert_int_equal(options.filter.comms.names.n, 0);
	tui_query_deinit(&query);
}

/* --- on a screen --------------------------------------------------------- */

static void assert_screen(const struct grid *grid, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf found = { 0 };
	size_t i;

	for (i = 0; i < grid->lines; i++) {
		grid_line_text(grid, i, &found);
		strbuf_putc(&found, '\n');
	}
	assert_text(&found, wanted);
}

static void draw_page(struct shown_report *shown_report, struct tui_page *page,
	struct grid *grid)
{
	tui_lines_fit(&shown_report->lines, tui_page_height(page, grid));
	tui_page_draw(page, &shown_report->lines,
		&(struct tui_frame){
			.crumbs = "made", .message = "said", .searched = "ea" },
		grid);
}

static void a_page_has_title_filters_lines_and_message(void **state _unused_)
{
	struct grid grid = { .has_utf8 = true };
	struct tui_page page = { 0 };
	struct shown_report shown_report;

	show_report(&shown_report, (struct option_graph){ 0 });
	tui_page_begin(&page, &shown_report.lines);
	tui_lines_toggle(&shown_report.lines);
	grid_resize(&grid, 10, 60);
	draw_page(&shown_report, &page, &grid);
	assert_screen(&grid,
		"Samples: 4 of event 'cpu-clock:HG', Event count (approx.): 1\n"
		"made                                                  by sym\n"
		"  Children      Self  Symbol\n"
		"-  100.00%     0.00%  [.] main\n"
		"    - 100.00% main\n"
		"      + 85.00% work\n"
		"        15.00% leaf\n"
		"+   85.00%    35.00%  [.] work\n"
		"+   65.00%    65.00%  [.] leaf\n"
		"said                                                     "
		"1/6\n");
	assert_int_equal(grid.at[3 * 60 + 4].style, GRID_HOT);
	assert_true(grid.at[3 * 60].is_highlighted);
	assert_false(grid.at[4 * 60].is_highlighted);
	/* "ea" of "leaf". */
	assert_int_equal(grid.at[6 * 60 + 16].style, GRID_MATCH);
	hide_report(&shown_report);
	grid_deinit(&grid);
}

static void long_names_scroll_to_the_left_and_numbers_stay(
	void **state _unused_)
{
	struct grid grid = { .has_utf8 = true };
	struct tui_page page = { 0 };
	struct shown_report shown_report;

	show_report(&shown_report, (struct option_graph){ 0 });
	tui_page_begin(&page, &shown_report.lines);
	page.shift = 4;
	page.hides_heads = true;
	tui_lines_toggle(&shown_report.lines);
	grid_resize(&grid, 6, 44);
	draw_page(&shown_report, &page, &grid);
	assert_screen(&grid,
		"Samples: 4 of event 'cpu-clock:HG', Event co\n"
		"made                                  by sym\n"
		"-  100.00%     0.00%  main\n"
		"- 100.00% main\n"
		"  + 85.00% work\n"
		"said                                     1/6\n");
	hide_report(&shown_report);
	grid_deinit(&grid);
}

static void messages_are_shown_at_the_bottom_of_the_screen(
	void **state _unused_)
{
	struct tui_screen screen = { 0 };

	tui_screen_begin(&screen);
	log_note("one %s", "\033[31m");
	log_note("two");
	log_note("two");
	assert_string_equal(screen.message.at, "two");
	assert_string_equal(screen.notes.at, "one \\x1b[31m\ntwo\n");
	tui_screen_note(&screen, "two\nthree\n");
	assert_string_equal(screen.notes.at, "one \\x1b[31m\ntwo\nthree\n");
	tui_screen_deinit(&screen);
}

static void up_to_256_held_keys_are_returned_in_order_without_resizes(
	void **state _unused_)
{
	struct tui_screen screen = { 0 };
	size_t i;

	tui_screen_hold_key(&screen, 'a');
	tui_screen_hold_key(&screen, TERMINAL_RESIZED);
	tui_screen_hold_key(&screen, TERMINAL_ENTER);
	assert_int_equal(tui_screen_key(&screen, 0), 'a');
	assert_int_equal(tui_screen_key(&screen, 0), TERMINAL_ENTER);
	assert_int_equal(screen.held.n, 0);
	for (i = 0; i < 1000; i++)
		tui_screen_hold_key(&screen, 'x');
	assert_int_equal(screen.held.n, 256);
	tui_screen_deinit(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_collapsed_at_first),
		cmocka_unit_test(an_only_branch_is_expanded_with_its_row),
		cmocka_unit_test(frames_shared_by_all_stacks_are_one_branch),
		cmocka_unit_test(
			all_rows_can_be_expanded_and_collapsed_at_once),
		cmocka_unit_test(rows_below_the_graph_limit_can_be_expanded),
		cmocka_unit_test(
			fractal_percentages_are_relative_to_the_parent_branch),
		cmocka_unit_test(the_screen_scrolls_with_the_cursor),
		cmocka_unit_test(a_search_continues_at_the_other_end),
		cmocka_unit_test(
			of_several_filters_of_one_kind_the_last_is_used),
		cmocka_unit_test(command_line_filters_are_removed_last),
		cmocka_unit_test(a_page_has_title_filters_lines_and_message),
		cmocka_unit_test(
			long_names_scroll_to_the_left_and_numbers_stay),
		cmocka_unit_test(
			messages_are_shown_at_the_bottom_of_the_screen),
		cmocka_unit_test(
			up_to_256_held_keys_are_returned_in_order_without_resizes),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
