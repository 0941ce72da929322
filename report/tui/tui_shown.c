/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result and event that are shown, the cursor, and drawing them. */
#include "config.h"

#include "common/util/escape.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_private.h"

/* The cursor's row is looked for in so many lines of a new result. */
#define RESTORED_LINES_MAX ((size_t)1000)

const struct row *tui_cursor_row(const struct tui *tui)
{
	return tui->lines.at.n ? tui_lines_row(&tui->lines, tui->lines.cursor)
			       : NULL;
}

uint32_t tui_cursor_location(const struct tui *tui)
{
	const struct tui_lines *lines = &tui->lines;
	const struct row *row = tui_cursor_row(tui);

	if (!row || row->is_rest)
		return HASH_NONE;
	if (lines->at.at[lines->cursor].node)
		return tui_lines_location(lines, lines->cursor);
	if (tui_find_column(tui->result, "dso") ||
		tui_find_column(tui->result, "sym"))
		return row->location;
	return HASH_NONE;
}

const struct column *tui_find_column(
	const struct result *result, const char *name)
{
	const struct columns *columns = &result->request.columns;
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->at[i].field->kind == FIELD_KEY &&
			string_is(columns->at[i].field->name, name))
			return &columns->at[i];
	return NULL;
}

static void show_tui_event(struct tui *tui, size_t number)
{
	tui->hist = number;
	tui_lines_deinit(&tui->lines);
	tui_lines_init(
		tui->result, &tui->result->hists.at[number], &tui->lines);
	tui_lines_fit(
		&tui->lines, tui_page_height(&tui->page, &tui->screen.grid));
	tui_page_begin(&tui->page, &tui->lines);
}

void tui_next_event(struct tui *tui)
{
	show_tui_event(tui, (tui->hist + 1) % tui->result->hists.n);
}

void tui_previous_event(struct tui *tui)
{
	size_t n = tui->result->hists.n;

	show_tui_event(tui, (tui->hist + n - 1) % n);
}

/* --- results ------------------------------------------------------------- */

/* Returns the histogram of RESULT for the event that is shown, or 0. */
static size_t find_shown_event(
	const struct tui *tui, const struct result *result)
{
	size_t i;

	for (i = 0; tui->result && i < result->hists.n; i++)
		if (result->hists.at[i].event ==
			tui->result->hists.at[tui->hist].event)
			return i;
	return 0;
}

static void show_result_note(struct tui *tui, const struct tui_result *computed)
{
	if (computed->notes.n)
		tui_screen_message(&tui->screen, "%.*s",
			(int)strcspn(computed->notes.at, "\n"),
			computed->notes.at);
}

/* Moves the cursor to the row with the keys TEXT, if it is near the top. */
static void restore_cursor_row(struct tui_lines *lines, const char *text)
{
	size_t i;

	for (i = 0; i < MIN(lines->at.n, RESTORED_LINES_MAX); i++) {
		_cleanup_strbuf_ struct strbuf other = { 0 };

		tui_lines_put_text(lines, i, &other);
		if (!string_is(other.at, text))
			continue;
		tui_lines_go(lines, i);
		return;
	}
}

void tui_show_result(struct tui *tui, struct tui_result *computed)
{
	size_t number = find_shown_event(tui, &computed->result);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	show_result_note(tui, computed);
	if (tui->lines.cursor)
		tui_lines_put_text(&tui->lines, tui->lines.cursor, &text);
	tui_lines_deinit(&tui->lines);
	tui->lines = (struct tui_lines){ 0 };
	tui_result_destroy(tui->shown);
	tui->shown = computed;
	tui->result = &computed->result;
	show_tui_event(tui, number);
	if (text.n)
		restore_cursor_row(&tui->lines, text.at);
}

static void put_tui_crumbs(const struct tui *tui, struct strbuf *out)
{
	array_each(&tui->result->inputs.at, input) {
		strbuf_puts(out, out->n ? ", " : "");
		escape_text(out, input_path(input));
	}
	tui_query_put_crumbs(&tui->shown->query,
		tui->screen.grid.has_utf8 ? "\u203a" : ">", out);
}

/* Appends the message for the bottom line to OUT. */
static void put_tui_message(const struct tui *tui, struct strbuf *out)
{
	if (tui->screen.message.n) {
		strbuf_puts(out, tui->screen.message.at);
	} else if (tui->next) {
		if (tui->shown && !tui->has_first_result)
			strbuf_puts(out, "loading symbols: ");
		tui_result_put_progress(tui->next, out);
		strbuf_puts(out, tui->has_first_result ? "  Esc: cancel" : "");
	} else {
		tui_keys_put_hints(tui->keys, out);
	}
}

static const char *no_rows_reason(const struct tui *tui)
{
	array_each(&tui->lines.hist->rows, row)
		if (row->is_hidden)
			return "no row matches the function text (\\) or the "
			       "minimum percentage (L)";
	return tui->shown->query.filters.n ? "no sample matches the filters; "
					     "Backspace removes the last filter"
					   : "no sample matches the options";
}

static void draw_tui_page(struct tui *tui, const char *message)
{
	_cleanup_strbuf_ struct strbuf crumbs = { 0 };

	tui_lines_fit(
		&tui->lines, tui_page_height(&tui->page, &tui->screen.grid));
	put_tui_crumbs(tui, &crumbs);
	tui_page_draw(&tui->page, &tui->lines,
		&(struct tui_frame){ .crumbs = crumbs.at,
			.message = message,
			.wraps_message = tui->screen.message.n,
			.empty_reason = no_rows_reason(tui),
			.searched = tui->searched.n ? tui->searched.at : NULL },
		&tui->screen.grid);
	terminal_show(&tui->screen.grid);
}

void tui_draw(struct tui *tui)
{
	_cleanup_strbuf_ struct strbuf message = { 0 };

	if (!tui_screen_resize(&tui->screen))
		return;
	put_tui_message(tui, &message);
	if (tui->shown)
		draw_tui_page(tui, message.at);
	else
		tui_screen_draw_line(&tui->screen, message.at);
}
