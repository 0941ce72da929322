/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keys do in a comparison: those of the view of a report, where it has
 * them. */
#include "config.h"

#include "common/util/escape.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_cursor.h"
#include "report/tui/tui_diff_private.h"

#define SHIFT 10u

/* --- moving --------------------------------------------------------------- */

static void go(struct tui_diff *tui, size_t line)
{
	tui_scroll(tui->rows.n, tui_diff_height(tui), line, &tui->cursor,
		&tui->top);
}

static void go_up(struct tui_diff *tui)
{
	go(tui, tui->cursor ? tui->cursor - 1 : 0);
}

static void go_down(struct tui_diff *tui)
{
	go(tui, tui->cursor + 1);
}

static void go_page_up(struct tui_diff *tui)
{
	go(tui, tui->cursor - MIN(tui->cursor, tui_diff_height(tui)));
}

static void go_page_down(struct tui_diff *tui)
{
	go(tui, tui->cursor + tui_diff_height(tui));
}

static void go_first(struct tui_diff *tui)
{
	go(tui, 0);
}

static void go_last(struct tui_diff *tui)
{
	go(tui, tui->rows.n);
}

static void shift_left(struct tui_diff *tui)
{
	tui->shift -= MIN(tui->shift, (size_t)SHIFT);
}

static void shift_right(struct tui_diff *tui)
{
	tui->shift += SHIFT;
}

static void show_event(struct tui_diff *tui, size_t by)
{
	tui->event = (tui->event + by) % tui->diff.events.n;
	array_clear(&tui->rows);
	tui->cursor = tui->top = 0;
	tui_diff_list(tui);
}

static void next_event(struct tui_diff *tui)
{
	show_event(tui, 1);
}

static void last_event(struct tui_diff *tui)
{
	show_event(tui, tui->diff.events.n - 1);
}

/* --- searching ------------------------------------------------------------ */

/* Around the end, STEP lines at a time. */
static void find(struct tui_diff *tui, size_t step)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t n = tui->rows.n, line = tui->cursor, i;

	if (!tui->wanted.n) {
		tui_say(&tui->screen, "nothing was searched for; / begins");
		return;
	}
	for (i = 0; i < n; i++) {
		line = (line + step) % n;
		strbuf_clear(&text);
		tui_diff_put_keys(tui, tui->rows.at[line], &text);
		if (!tui_match(text.at, tui->wanted.at))
			continue;
		go(tui, line);
		return;
	}
	tui_say(&tui->screen, "'%s' is nowhere", tui->wanted.at);
}

static void find_next(struct tui_diff *tui)
{
	find(tui, 1);
}

static void find_last(struct tui_diff *tui)
{
	find(tui, MAX(tui->rows.n, (size_t)1) - 1);
}

static void search(struct tui_diff *tui)
{
	if (tui_prompt_anew(&tui->screen, "/", &tui->wanted))
		find_next(tui);
}

/* --- filters and order ---------------------------------------------------- */

/* What the cursor's row has as KEY. */
static void filter_by_key(
	struct tui_diff *tui, const char *key, const char *name)
{
	size_t i;

	for (i = 0; i < tui->diff.keys.n && tui->rows.n; i++) {
		if (!string_is(tui->diff.keys.at[i].name, key))
			continue;
		tui_diff_push(tui, name, i,
			diff_key_text(
				&tui->diff, tui->rows.at[tui->cursor], i));
		return;
	}
	tui_say(&tui->screen, "rows don't tell that; -s +%s does", key);
}

static void filter_comm(struct tui_diff *tui)
{
	filter_by_key(tui, "comm", "comm");
}

static void filter_dso(struct tui_diff *tui)
{
	filter_by_key(tui, "dso", "DSO");
}

static void filter_name(struct tui_diff *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (tui_prompt(&tui->screen, "rows with this: ", &text))
		tui_diff_push(tui, "name", DIFF_ANY_KEY, text.at);
}

static void filter_back(struct tui_diff *tui)
{
	if (!tui_diff_pop(tui))
		tui_say(&tui->screen,
			"there is no filter to take back; q leaves");
}

static void fill_orders(const struct diff *diff, struct tui_menu *menu)
{
	size_t side;

	tui_menu_add(menu, "delta-abs",
		"delta-abs  the difference, largest first, more or less");
	tui_menu_add(
		menu, "delta", "delta      the difference, from more to less");
	tui_menu_add(
		menu, "ratio", "ratio      the new by the old, largest first");
	tui_menu_add(menu, "wdiff",
		"wdiff      the weighted difference, from more to less");
	tui_menu_add(menu, "0", "baseline   what it was before");
	for (side = 1; diff->sides.n > 2 && side < diff->sides.n; side++) {
		_cleanup_strbuf_ struct strbuf value = { 0 }, text = { 0 };

		strbuf_printf(&value, "%zu", side);
		strbuf_printf(&text, "/%-9zu the change of ", side);
		escape_text(&text, diff->sides.at[side].path);
		tui_menu_add(menu, value.at, text.at);
	}
}

static void take_order(struct diff_style *style, const char *value)
{
	if (!diff_compute_find(value, &style->compute)) {
		style->order = strtoul(value, NULL, 10);
		return;
	}
	style->order = MAX(style->order, (uint64_t)1);
	diff_style_settle(style);
}

static void choose_order(struct tui_diff *tui)
{
	struct tui_menu menu = { .title = "Rows by" };
	const char *value;

	fill_orders(&tui->diff, &menu);
	value = tui_menu_run(&tui->screen, &menu);
	if (value) {
		take_order(&tui->options.diff, value);
		tui_diff_sort(tui);
	}
	tui_menu_deinit(&menu);
}

/* --- the rest ------------------------------------------------------------- */

static void show_help(struct tui_diff *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	tui_keys_put_help(tui_diff_bindings, &text);
	tui_show_text(&tui->screen, "Keys", text.at);
}

static void leave(struct tui_diff *tui)
{
	tui->is_over = true;
}

#define PRESS(function) NULL, function

const struct tui_key tui_diff_bindings[] = {
	{ KEYS(TERMINAL_UP), "Up", "to the row above", NULL, PRESS(go_up) },
	{ KEYS(TERMINAL_DOWN), "Down", "to the row below", NULL,
		PRESS(go_down) },
	{ KEYS(TERMINAL_PAGE_UP, CONTROL('b')), "PgUp", "a screen up", NULL,
		PRESS(go_page_up) },
	{ KEYS(TERMINAL_PAGE_DOWN, ' ', CONTROL('f')), "PgDn, Space",
		"a screen down", NULL, PRESS(go_page_down) },
	{ KEYS(TERMINAL_HOME, 'g'), "Home, g", "to the first row", NULL,
		PRESS(go_first) },
	{ KEYS(TERMINAL_END, 'G'), "End, G", "to the last row", NULL,
		PRESS(go_last) },
	{ KEYS(TERMINAL_LEFT), "Left", "long names: back to their beginning",
		NULL, PRESS(shift_left) },
	{ KEYS(TERMINAL_RIGHT), "Right", "long names: on to their end", NULL,
		PRESS(shift_right) },
	{ KEYS(TERMINAL_ENTER, '+'), "Enter, +",
		"the row in all recordings, and how its change is computed",
		"details", PRESS(tui_diff_show_details) },
	{ KEYS('/'), "/", "search in the rows that are shown", "search",
		PRESS(search) },
	{ KEYS('n'), "n", "to what is found next", NULL, PRESS(find_next) },
	{ KEYS('N'), "N", "to what was found before", NULL, PRESS(find_last) },
	{ KEYS('c'), "c", "only this command", NULL, PRESS(filter_comm) },
	{ KEYS('d'), "d", "only this program or library", "DSO",
		PRESS(filter_dso) },
	{ KEYS('\\'), "Backslash", "only rows with a text in them", NULL,
		PRESS(filter_name) },
	{ KEYS(TERMINAL_BACKSPACE, TERMINAL_ESCAPE), "Backspace, Esc",
		"take the last filter back", NULL, PRESS(filter_back) },
	{ KEYS('s'), "s", "what is computed, and rows are sorted by", "sort",
		PRESS(choose_order) },
	{ KEYS(TERMINAL_TAB), "Tab", "the next event", NULL,
		PRESS(next_event) },
	{ KEYS(TERMINAL_BACK_TAB), "Shift-Tab", "the event before", NULL,
		PRESS(last_event) },
	{ KEYS('h', '?', TERMINAL_HELP), "h, ?, F1", "this list", "help",
		PRESS(show_help) },
	{ KEYS('q'), "q", "leave", "leave", PRESS(leave) },
	{ .name = NULL },
};
