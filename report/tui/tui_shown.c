/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the displayed result, event and cursor of the interactive view. Handles
 * the next result, which is displayed, rejected, or dropped because the query
 * has changed.
 */
#include "config.h"

#include "common/util/escape.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_private.h"

/*
 * Number of lines at the top of a new result in which the cursor's row is
 * searched.
 */
#define RESTORED_LINES_MAX ((size_t)1000)
/* Interval between redraws while waiting for a result, in ms. */
#define STEP_MS 20

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

void tui_show_event(struct tui *tui, size_t number)
{
	tui->hist = number;
	tui_lines_deinit(&tui->lines);
	tui_lines_init(
		tui->result, &tui->result->hists.at[number], &tui->lines);
	tui_page_begin(&tui->page, &tui->lines);
	tui_lines_fit(
		&tui->lines, tui_page_height(&tui->page, &tui->screen.grid));
}

/* --- results ------------------------------------------------------------- */

/* Makes COMPUTED the displayed result, and takes ownership of COMPUTED. */
static void tui_show_result(struct tui *tui, struct tui_result *computed)
{
	const struct result *result = &computed->result;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t number = 0, i;

	/* Keep the displayed event, if RESULT counts the same and has it. */
	if (tui->result &&
		tui->result->options->time.counted ==
			result->options->time.counted)
		for (i = result->hists.n; i-- > 0;)
			if (result->hists.at[i].event ==
				tui->result->hists.at[tui->hist].event)
				number = i;

	if (computed->notes.n)
		tui_screen_message(&tui->screen, "%.*s",
			(int)strcspn(computed->notes.at, "\n"),
			computed->notes.at);
	if (tui->lines.cursor)
		tui_lines_put_text(&tui->lines, tui->lines.cursor, &text);
	tui_lines_deinit(&tui->lines);
	tui->lines = (struct tui_lines){ 0 };
	tui_result_destroy(tui->shown);
	tui->shown = computed;
	tui->result = result;
	tui_show_event(tui, number);
	for (i = 0; text.n && i < MIN(tui->lines.at.n, RESTORED_LINES_MAX);
		i++) {
		_cleanup_strbuf_ struct strbuf other = { 0 };

		tui_lines_put_text(&tui->lines, i, &other);
		if (string_is(other.at, text.at)) {
			tui_lines_go(&tui->lines, i);
			break;
		}
	}
}

void tui_draw(void *view)
{
	struct tui *tui = view;
	_cleanup_strbuf_ struct strbuf message = { 0 };

	if (!tui_screen_resize(&tui->screen))
		return;
	/* the message for the bottom line */
	if (tui->screen.message.n) {
		strbuf_puts(&message, tui->screen.message.at);
	} else if (tui->next) {
		if (tui->shown && !tui->has_first_result)
			strbuf_puts(&message, "loading symbols: ");
		tui_result_put_progress(tui->next, &message);
		strbuf_puts(
			&message, tui->has_first_result ? "  Esc: cancel" : "");
	} else {
		tui_keys_put_hints(tui->keys, &message);
	}
	if (tui->shown) {
		_cleanup_strbuf_ struct strbuf crumbs = { 0 };
		const char *reason = tui->shown->query.filters.n
			? "no sample matches the filters; "
			  "Backspace removes the last filter"
			: "no sample matches the options";

		array_each(&tui->lines.hist->rows, row)
			if (row->is_hidden)
				reason =
					"no row matches the function text (\\) or the "
					"minimum percentage (L)";
		tui_lines_fit(&tui->lines,
			tui_page_height(&tui->page, &tui->screen.grid));
		array_each(&tui->result->inputs.at, input) {
			strbuf_puts(&crumbs, crumbs.n ? ", " : "");
			escape_text(&crumbs, input_path(input));
		}
		tui_query_put_crumbs(&tui->shown->query,
			tui->screen.grid.has_utf8 ? "\u203a" : ">", &crumbs);
		tui_page_draw(&tui->page, &tui->lines,
			&(struct tui_frame){ .crumbs = crumbs.at,
				.message = message.at,
				.wraps_message = tui->screen.message.n,
				.empty_reason = reason,
				.searched = tui->searched.n ? tui->searched.at
							    : NULL },
			&tui->screen.grid);
		terminal_show(&tui->screen.grid);
	} else
		tui_screen_draw_line(&tui->screen, message.at);
}

/* --- results that are ready ---------------------------------------------- */

/*
 * Reports the error of COMPUTED, or that no sample matches, and frees COMPUTED
 * and the query.
 */
static void reject_result(struct tui *tui, struct tui_result *computed)
{
	if (computed->err)
		tui_screen_message(&tui->screen, "%s", computed->err->text);
	else
		tui_screen_message(
			&tui->screen, "no sample matches these filters");
	tui_result_destroy(computed);
	tui_query_deinit(&tui->query);
}

/*
 * Starts to compute the query. If another result is still being computed, marks
 * that result as outdated and, unless it is a preview, cancels it; the query is
 * computed afterwards.
 */
static void begin_next_result(struct tui *tui)
{
	tui->is_outdated = tui->next;
	if (!tui->next)
		tui->next = tui_result_begin(&tui->query, result_make);
	else if (!tui->is_preview)
		tui_result_cancel(tui->next);
}

static void take_next_result(struct tui *tui)
{
	struct tui_result *computed = take_pointer(tui->next);
	bool is_good = !computed->err && computed->result.hists.n;

	if (tui->is_preview) {
		/*
		 * Show the preview, and start to compute the query. Errors and
		 * messages of the preview are dropped, because the next result
		 * repeats them.
		 */
		tui->is_preview = false;
		if (is_good) {
			strbuf_clear(&computed->notes);
			tui_show_result(tui, computed);
		} else {
			tui_result_destroy(computed);
		}
		begin_next_result(tui);
	} else if (tui->is_outdated) {
		tui_result_destroy(computed);
		begin_next_result(tui);
	} else if (!tui->has_first_result && tui->has_new_query && !is_good) {
		/*
		 * The query was changed during the preview and failed: compute
		 * the query of the command line.
		 */
		reject_result(tui, computed);
		tui_query_init(tui->options, &tui->query);
		tui->has_new_query = false;
		begin_next_result(tui);
	} else if (!tui->has_first_result) {
		/*
		 * This is the result of the command line's options. Its notes
		 * are printed to stderr at the end.
		 */
		tui->has_first_result = true;
		if (computed->notes.n)
			tui_screen_note(&tui->screen, computed->notes.at);
		if (is_good) {
			tui_show_result(tui, computed);
			return;
		}
		tui->is_over = true;
		tui->err = take_pointer(computed->err);
		tui_result_destroy(computed);
	} else if (is_good) {
		tui_show_result(tui, computed);
	} else {
		reject_result(tui, computed);
		tui_query_copy(&tui->shown->query, &tui->query);
	}
}

void tui_pass_poll(struct tui *tui, int wait_ms)
{
	if (tui->next && tui_result_is_ready(tui->next, wait_ms))
		take_next_result(tui);
}

/* --- starting computations ----------------------------------------------- */

void tui_pass_begin(struct tui *tui)
{
	struct tui_query preview;

	tui->is_preview = tui_query_preview(&tui->query, &preview);
	if (!tui->is_preview) {
		begin_next_result(tui);
		return;
	}
	tui->next = tui_result_begin(&preview, result_make);
	tui_query_deinit(&preview);
}

void tui_pass_update(struct tui *tui)
{
	tui->has_new_query = true;
	begin_next_result(tui);
}

/*
 * Draws the view while a result is computed, and holds typed keys. Returns
 * false if the user cancels.
 */
static bool draw_while_waiting(struct tui *tui)
{
	uint32_t key;

	tui_draw(tui);
	key = terminal_key(0);
	if (key == TERMINAL_ESCAPE || key == 'q')
		return false;
	tui_screen_hold_key(&tui->screen, key);
	return true;
}

struct tui_result *tui_pass_wait(
	struct tui *tui, const struct tui_query *query, tui_result_make *make)
{
	struct tui_result *computed;

	while (tui->next) {
		tui_pass_poll(tui, STEP_MS);
		if (tui->next && !draw_while_waiting(tui))
			return tui_result_cancelled(query);
	}
	computed = tui_result_begin(query, make);
	while (!tui_result_is_ready(computed, STEP_MS)) {
		strbuf_clear(&tui->screen.message);
		tui_result_put_progress(computed, &tui->screen.message);
		if (!draw_while_waiting(tui))
			tui_result_cancel(computed);
	}
	strbuf_clear(&tui->screen.message);
	return computed;
}
