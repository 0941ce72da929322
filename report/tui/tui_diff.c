/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_cursor.h"
#include "report/tui/tui_diff_private.h"
#include "report/util/progress.h"

#define SHIFT 10u

/* --- the rows that are shown --------------------------------------------- */

static bool matches_diff_filter(const struct tui_diff *tui,
	const struct diff_row *row, const struct tui_diff_filter *filter)
{
	size_t i;

	if (filter->key != TUI_DIFF_ANY_KEY)
		return string_is(diff_key_text(&tui->diff, row, filter->key),
			filter->text);
	for (i = 0; i < tui->diff.keys.n; i++)
		if (tui_cursor_match(
			    diff_key_text(&tui->diff, row, i), filter->text))
			return true;
	return false;
}

static bool matches_diff_filters(
	const struct tui_diff *tui, const struct diff_row *row)
{
	array_each(&tui->filters, filter)
		if (!matches_diff_filter(tui, row, filter))
			return false;
	return true;
}

static void widen_diff_column(
	struct tui_diff *tui, size_t column, const char *text)
{
	tui->widths.at[column] = MAX(tui->widths.at[column], grid_width(text));
}

/*
 * Updates .rows after a change of filters, event or order. The cursor stays on
 * its row if the row is still shown.
 */
static void tui_diff_update_rows(struct tui_diff *tui)
{
	uint32_t number =
		tui->rows.n ? tui->rows.at[tui->cursor]->number : UINT32_MAX;
	size_t cursor = 0;

	array_clear(&tui->rows);
	array_each(&tui_diff_event(tui)->rows, row) {
		if (!matches_diff_filters(tui, row))
			continue;
		if (row->number == number)
			cursor = tui->rows.n;
		*array_push(&tui->rows) = row;
	}
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;
	array_free(&tui->columns.at);
	diff_columns_make(&tui->diff, &tui->columns);
	array_clear(&tui->widths);
	for (i = 0; i < tui->columns.at.n; i++) {
		array_push(&tui->widths);
		strbuf_clear(&text);
		diff_column_head(&tui->diff, &tui->columns.at.at[i], &text);
		widen_diff_column(tui, i, text.at);
		array_each(&tui->rows, row) {
			strbuf_clear(&text);
			strbuf_puts(&text, "");
			diff_cell_put(&tui->diff, tui_diff_event(tui), *row,
				&tui->columns.at.at[i], &text);
			widen_diff_column(tui, i, text.at);
		}
	}
	tui_cursor_scroll(tui->rows.n, tui_diff_height(tui), cursor,
		&tui->cursor, &tui->top);
}

static void tui_diff_push_filter(
	struct tui_diff *tui, const char *name, size_t key, const char *text)
{
	*array_push(&tui->filters) = (struct tui_diff_filter){
		.name = name, .key = key, .text = xstrdup(text)
	};
	tui_diff_update_rows(tui);
}

/* Removes the last filter. Returns false if there is no filter. */
static bool tui_diff_pop_filter(struct tui_diff *tui)
{
	if (!tui->filters.n)
		return false;
	free(tui->filters.at[--tui->filters.n].text);
	tui_diff_update_rows(tui);
	return true;
}

/* --- moving -------------------------------------------------------------- */

static void move_diff_cursor(struct tui_diff *tui, size_t line)
{
	tui_cursor_scroll(tui->rows.n, tui_diff_height(tui), line, &tui->cursor,
		&tui->top);
}

static void move_diff_up(struct tui_diff *tui)
{
	move_diff_cursor(tui, tui->cursor ? tui->cursor - 1 : 0);
}

static void move_diff_down(struct tui_diff *tui)
{
	move_diff_cursor(tui, tui->cursor + 1);
}

static void move_diff_page_up(struct tui_diff *tui)
{
	move_diff_cursor(
		tui, tui->cursor - MIN(tui->cursor, tui_diff_height(tui)));
}

static void move_diff_page_down(struct tui_diff *tui)
{
	move_diff_cursor(tui, tui->cursor + tui_diff_height(tui));
}

static void move_diff_to_start(struct tui_diff *tui)
{
	move_diff_cursor(tui, 0);
}

static void move_diff_to_end(struct tui_diff *tui)
{
	move_diff_cursor(tui, tui->rows.n);
}

static void shift_diff_left(struct tui_diff *tui)
{
	tui->shift -= MIN(tui->shift, (size_t)SHIFT);
}

static void shift_diff_right(struct tui_diff *tui)
{
	tui->shift += SHIFT;
}

static void show_diff_event(struct tui_diff *tui, size_t by)
{
	tui->event = (tui->event + by) % tui->diff.events.n;
	array_clear(&tui->rows);
	tui->cursor = tui->top = 0;
	tui_diff_update_rows(tui);
}

static void next_diff_event(struct tui_diff *tui)
{
	show_diff_event(tui, 1);
}

static void previous_diff_event(struct tui_diff *tui)
{
	show_diff_event(tui, tui->diff.events.n - 1);
}

/* --- searching ----------------------------------------------------------- */

/*
 * Moves the cursor to the next row, STEP rows at a time and around the end,
 * that matches the search text.
 */
static void find_diff_row(struct tui_diff *tui, size_t step)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t n = tui->rows.n, line = tui->cursor, i;

	if (!tui->searched.n) {
		tui_screen_message(
			&tui->screen, "no search text; press / to search");
		return;
	}
	for (i = 0; i < n; i++) {
		line = (line + step) % n;
		strbuf_clear(&text);
		tui_diff_put_keys(tui, tui->rows.at[line], &text);
		if (!tui_cursor_match(text.at, tui->searched.at))
			continue;
		move_diff_cursor(tui, line);
		return;
	}
	tui_screen_message(&tui->screen, "'%s' not found", tui->searched.at);
}

static void find_next_diff_row(struct tui_diff *tui)
{
	find_diff_row(tui, 1);
}

static void find_previous_diff_row(struct tui_diff *tui)
{
	find_diff_row(tui, MAX(tui->rows.n, (size_t)1) - 1);
}

static void search_diff_rows(struct tui_diff *tui)
{
	if (tui_prompt_empty(&tui->screen, "/", &tui->searched))
		find_next_diff_row(tui);
}

/* --- filters and order --------------------------------------------------- */

/* Adds a filter: only rows with the same KEY as the cursor's row. */
static void filter_diff_by_key(
	struct tui_diff *tui, const char *key, const char *name)
{
	size_t i;

	for (i = 0; i < tui->diff.keys.n && tui->rows.n; i++) {
		if (!string_is(tui->diff.keys.at[i].name, key))
			continue;
		tui_diff_push_filter(tui, name, i,
			diff_key_text(
				&tui->diff, tui->rows.at[tui->cursor], i));
		return;
	}
	tui_screen_message(
		&tui->screen, "rows do not contain this key; use -s +%s", key);
}

static void filter_diff_comm(struct tui_diff *tui)
{
	filter_diff_by_key(tui, "comm", "comm");
}

static void filter_diff_dso(struct tui_diff *tui)
{
	filter_diff_by_key(tui, "dso", "DSO");
}

static void filter_diff_name(struct tui_diff *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (tui_prompt(&tui->screen, "row contains: ", &text))
		tui_diff_push_filter(tui, "name", TUI_DIFF_ANY_KEY, text.at);
}

static void remove_diff_filter(struct tui_diff *tui)
{
	if (!tui_diff_pop_filter(tui))
		tui_screen_message(
			&tui->screen, "no filter to remove; press q to quit");
}

static void set_diff_order(struct diff_style *style, const char *value)
{
	if (!diff_compute_find(value, &style->compute)) {
		style->order = strtoul(value, NULL, 10);
		return;
	}
	style->order = MAX(style->order, (uint64_t)1);
	diff_style_finish(style);
}

static void choose_diff_order(struct tui_diff *tui)
{
	struct tui_menu menu = { .title = "Sort rows by" };
	const char *value;
	size_t side;

	tui_menu_add(&menu, "delta-abs",
		"delta-abs  difference, largest absolute value first");
	tui_menu_add(&menu, "delta",
		"delta      difference, largest increase first");
	tui_menu_add(
		&menu, "ratio", "ratio      new divided by old, largest first");
	tui_menu_add(&menu, "wdiff",
		"wdiff      weighted difference, largest increase first");
	tui_menu_add(&menu, "0", "baseline   value in the baseline");
	for (side = 1; tui->diff.sides.n > 2 && side < tui->diff.sides.n;
		side++) {
		_cleanup_strbuf_ struct strbuf key = { 0 }, text = { 0 };

		strbuf_printf(&key, "%zu", side);
		strbuf_printf(&text, "/%-9zu change of ", side);
		escape_text(&text, tui->diff.sides.at[side].path);
		tui_menu_add(&menu, key.at, text.at);
	}
	value = tui_menu_run(&tui->screen, &menu);
	if (value) {
		set_diff_order(&tui->diff.style, value);
		diff_compute(&tui->diff);
		diff_sort(&tui->diff);
		array_clear(&tui->rows);
		tui->cursor = tui->top = 0;
		tui_diff_update_rows(tui);
	}
	tui_menu_deinit(&menu);
}

static void show_diff_help(struct tui_diff *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	tui_keys_put_help(tui->keys, &text);
	tui_show_text(&tui->screen, "Keys", text.at);
}

static void quit_diff(struct tui_diff *tui)
{
	tui->is_over = true;
}

#define PRESS(function) NULL, function

static const struct tui_key tui_diff_bindings[] = {
	{ KEYS(TERMINAL_UP), "Up", "move to the previous row", NULL,
		PRESS(move_diff_up) },
	{ KEYS(TERMINAL_DOWN), "Down", "move to the next row", NULL,
		PRESS(move_diff_down) },
	{ KEYS(TERMINAL_PAGE_UP, CONTROL('b')), "PgUp",
		"scroll up by one screen", NULL, PRESS(move_diff_page_up) },
	{ KEYS(TERMINAL_PAGE_DOWN, ' ', CONTROL('f')), "PgDn, Space",
		"scroll down by one screen", NULL, PRESS(move_diff_page_down) },
	{ KEYS(TERMINAL_HOME, 'g'), "Home, g", "move to the first row", NULL,
		PRESS(move_diff_to_start) },
	{ KEYS(TERMINAL_END, 'G'), "End, G", "move to the last row", NULL,
		PRESS(move_diff_to_end) },
	{ KEYS(TERMINAL_LEFT), "Left", "scroll long names to their beginning",
		NULL, PRESS(shift_diff_left) },
	{ KEYS(TERMINAL_RIGHT), "Right", "scroll long names to their end", NULL,
		PRESS(shift_diff_right) },
	{ KEYS(TERMINAL_ENTER, '+'), "Enter, +",
		"show the row in all recordings, with its formula", "details",
		PRESS(tui_diff_show_details) },
	{ KEYS('/'), "/", "search in the displayed rows", "search",
		PRESS(search_diff_rows) },
	{ KEYS('n'), "n", "move to the next match", NULL,
		PRESS(find_next_diff_row) },
	{ KEYS('N'), "N", "move to the previous match", NULL,
		PRESS(find_previous_diff_row) },
	{ KEYS('c'), "c", "show only samples of this command", NULL,
		PRESS(filter_diff_comm) },
	{ KEYS('d'), "d", "show only samples of this program or library", "DSO",
		PRESS(filter_diff_dso) },
	{ KEYS('\\'), "Backslash", "show only rows that contain a text", NULL,
		PRESS(filter_diff_name) },
	{ KEYS(TERMINAL_BACKSPACE, TERMINAL_ESCAPE), "Backspace, Esc",
		"remove the last filter", NULL, PRESS(remove_diff_filter) },
	{ KEYS('s'), "s", "choose how to compare, and the order of rows",
		"sort", PRESS(choose_diff_order) },
	{ KEYS(TERMINAL_TAB), "Tab", "show the next event", NULL,
		PRESS(next_diff_event) },
	{ KEYS(TERMINAL_BACK_TAB), "Shift-Tab", "show the previous event", NULL,
		PRESS(previous_diff_event) },
	{ KEYS('h', '?', TERMINAL_HELP), "h, ?, F1", "show this help", "help",
		PRESS(show_diff_help) },
	{ KEYS('q'), "q", "quit", "quit", PRESS(quit_diff) },
	{ .name = NULL },
};

/* --- the view ------------------------------------------------------------ */

static void draw_diff_view(void *view)
{
	tui_diff_draw(view);
}

static struct error *run_diff_loop(struct tui_diff *tui)
{
	struct error *err = terminal_open(tui->options.has_colour);

	if (err)
		return err;
	tui_screen_begin(&tui->screen);
	terminal_resize_grid(&tui->screen.grid);
	tui_diff_update_rows(tui);
	while (!tui->is_over) {
		tui_diff_draw(tui);
		const struct tui_key *found = tui_keys_press(tui->keys,
			tui_screen_key(&tui->screen, -1), &tui->screen,
			&tui->is_over);
		if (found)
			found->press_diff(tui);
	}
	terminal_close();
	tui_screen_print_notes(&tui->screen);
	return NULL;
}

struct error *tui_diff_run(const struct options *options)
{
	struct tui_diff tui = { .keys = tui_diff_bindings,
		.options = *options,
		.screen = { .draw = draw_diff_view, .view = &tui } };
	struct error *err = diff_make(&tui.options, &tui.diff);

	progress_clear();
	if (!err)
		err = run_diff_loop(&tui);
	array_each(&tui.filters, filter)
		free(filter->text);
	array_free(&tui.filters);
	array_free(&tui.rows);
	array_free(&tui.columns.at);
	array_free(&tui.widths);
	array_free(&tui.shown);
	strbuf_free(&tui.searched);
	tui_screen_deinit(&tui.screen);
	diff_deinit(&tui.diff);
	return err;
}
