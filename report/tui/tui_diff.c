/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_cursor.h"
#include "report/tui/tui_diff_private.h"
#include "report/util/progress.h"

/* --- the rows that are shown --------------------------------------------- */

static bool matches_diff_filters(
	const struct tui_diff *tui, const struct diff_row *row)
{
	array_each(&tui->filters, filter) {
		bool is_any = filter->key == TUI_DIFF_ANY_KEY, matches = false;
		size_t i = is_any ? 0 : filter->key;
		size_t end = is_any ? tui->diff.keys.n : i + 1;

		for (; i < end && !matches; i++) {
			const char *text = diff_key_text(&tui->diff, row, i);

			matches = is_any
				? tui_cursor_match(text, filter->text) != NULL
				: string_is(text, filter->text);
		}
		if (!matches)
			return false;
	}
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

/* --- moving -------------------------------------------------------------- */

static void move_diff_cursor(struct tui_diff *tui, size_t line)
{
	tui_cursor_scroll(tui->rows.n, tui_diff_height(tui), line, &tui->cursor,
		&tui->top);
}

static void show_diff_event(struct tui_diff *tui, size_t by)
{
	tui->event = (tui->event + by) % tui->diff.events.n;
	array_clear(&tui->rows);
	tui->cursor = tui->top = 0;
	tui_diff_update_rows(tui);
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
		struct style_diff *style = &tui->diff.style;

		if (style_diff_compute_find(value, &style->compute)) {
			style->order = MAX(style->order, (uint64_t)1);
			style_diff_finish(style);
		} else {
			style->order = strtoul(value, NULL, 10);
		}
		diff_compute(&tui->diff);
		diff_sort(&tui->diff);
		array_clear(&tui->rows);
		tui->cursor = tui->top = 0;
		tui_diff_update_rows(tui);
	}
	tui_menu_deinit(&menu);
}

static void press_diff_key(struct tui_diff *tui, enum tui_action action)
{
	size_t line = tui->cursor, n = tui->diff.events.n;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (tui_keys_move(action, tui_diff_height(tui), &line, &tui->shift)) {
		move_diff_cursor(tui, line);
		return;
	}
	switch (action) {
	case TUI_DO_HELP: tui_show_help(&tui->screen, tui->keys); break;
	case TUI_DO_DETAILS: tui_diff_show_details(tui); break;
	case TUI_DO_SEARCH:
	case TUI_DO_FIND_NEXT:
	case TUI_DO_FIND_PREVIOUS:
		if (tui_prompt_search(&tui->screen, action, &tui->searched))
			find_diff_row(tui,
				action == TUI_DO_FIND_PREVIOUS
					? MAX(tui->rows.n, (size_t)1) - 1
					: 1);
		break;
	case TUI_DO_FILTER_COMM: filter_diff_by_key(tui, "comm", "comm"); break;
	case TUI_DO_FILTER_DSO: filter_diff_by_key(tui, "dso", "DSO"); break;
	case TUI_DO_FILTER_NAME:
		if (tui_prompt(&tui->screen, "row contains: ", &text))
			tui_diff_push_filter(
				tui, "name", TUI_DIFF_ANY_KEY, text.at);
		break;
	case TUI_DO_UNFILTER:
		if (!tui->filters.n) {
			tui_screen_message(&tui->screen,
				"no filter to remove; press q to quit");
			break;
		}
		free(tui->filters.at[--tui->filters.n].text);
		tui_diff_update_rows(tui);
		break;
	case TUI_DO_CHOOSE_KEYS: choose_diff_order(tui); break;
	case TUI_DO_NEXT_EVENT: show_diff_event(tui, 1); break;
	case TUI_DO_PREVIOUS_EVENT: show_diff_event(tui, n - 1); break;
	default: break;
	}
}

static const struct tui_key tui_diff_bindings[] = {
	{ KEYS(TERMINAL_UP), "Up", "move to the previous row", NULL,
		TUI_DO_UP },
	{ KEYS(TERMINAL_DOWN), "Down", "move to the next row", NULL,
		TUI_DO_DOWN },
	TUI_PAGE_KEYS,
	{ KEYS(TERMINAL_HOME, 'g'), "Home, g", "move to the first row", NULL,
		TUI_DO_FIRST },
	{ KEYS(TERMINAL_END, 'G'), "End, G", "move to the last row", NULL,
		TUI_DO_LAST },
	{ KEYS(TERMINAL_LEFT), "Left", "scroll long names to their beginning",
		NULL, TUI_DO_LEFT },
	{ KEYS(TERMINAL_RIGHT), "Right", "scroll long names to their end", NULL,
		TUI_DO_RIGHT },
	{ KEYS(TERMINAL_ENTER, '+'), "Enter, +",
		"show the row in all recordings, with its formula", "details",
		TUI_DO_DETAILS },
	{ KEYS('/'), "/", "search in the displayed rows", "search",
		TUI_DO_SEARCH },
	TUI_MATCH_KEYS,
	{ KEYS('c'), "c", "show only samples of this command", NULL,
		TUI_DO_FILTER_COMM },
	{ KEYS('d'), "d", "show only samples of this program or library", "DSO",
		TUI_DO_FILTER_DSO },
	{ KEYS('\\'), "Backslash", "show only rows that contain a text", NULL,
		TUI_DO_FILTER_NAME },
	{ KEYS(TERMINAL_BACKSPACE, TERMINAL_ESCAPE), "Backspace, Esc",
		"remove the last filter", NULL, TUI_DO_UNFILTER },
	{ KEYS('s'), "s", "choose how to compare, and the order of rows",
		"sort", TUI_DO_CHOOSE_KEYS },
	{ KEYS(TERMINAL_TAB), "Tab", "show the next event", NULL,
		TUI_DO_NEXT_EVENT },
	{ KEYS(TERMINAL_BACK_TAB), "Shift-Tab", "show the previous event", NULL,
		TUI_DO_PREVIOUS_EVENT },
	{ KEYS('h', '?', TERMINAL_HELP), "h, ?, F1", "show this help", "help",
		TUI_DO_HELP },
	{ KEYS('q'), "q", "quit", "quit", TUI_DO_QUIT },
	{ .name = NULL },
};

/* --- the view ------------------------------------------------------------ */

struct error *tui_diff_run(const struct options *options)
{
	struct tui_diff tui = { .keys = tui_diff_bindings,
		.options = *options,
		.screen = { .draw = tui_diff_draw, .view = &tui } };
	struct error *err = diff_make(&tui.options, &tui.diff);

	progress_clear();
	if (!err)
		err = terminal_open(tui.options.output.has_colour);
	if (!err) {
		tui_screen_begin(&tui.screen);
		terminal_resize_grid(&tui.screen.grid);
		tui_diff_update_rows(&tui);
		while (!tui.is_over) {
			tui_diff_draw(&tui);
			press_diff_key(&tui,
				tui_keys_press(tui.keys,
					tui_screen_key(&tui.screen, -1),
					&tui.screen, &tui.is_over));
		}
		terminal_close();
		tui_screen_print_notes(&tui.screen);
	}
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
