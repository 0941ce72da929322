/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the interactive view of a comparison, and the details of a row. */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/diff/diff_math.h"
#include "report/diff/diff_whole.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_cursor.h"
#include "report/tui/tui_diff_private.h"
#include "report/view/stdio_cell.h"

/* --- above the rows ------------------------------------------------------ */

static void draw_diff_title(const struct tui_diff *tui, struct grid *grid)
{
	const struct diff_event *event = tui_diff_event(tui);
	struct grid_pen pen = grid_pen(grid, 0);
	_cleanup_strbuf_ struct strbuf text = { 0 }, number = { 0 };
	size_t end = pen.end;

	if (tui->diff.events.n > 1)
		strbuf_printf(&number, "event %zu/%zu", tui->event + 1,
			tui->diff.events.n);
	diff_whole_put(&tui->diff, event,
		MAX((size_t)tui->diff.style.order, (size_t)1), &text);
	if (!text.n) {
		strbuf_puts(&text, "Event '");
		escape_text(&text, event->name);
		strbuf_puts(&text, "'");
	}
	if (number.n && number.n + 2 < end / 2)
		pen.end -= number.n + 2;
	grid_put(&pen, GRID_TITLE, text.at);
	pen.end = end;
	if (number.n)
		tui_put_at_end(&pen, GRID_DIM, number.at);
}

/*
 * Draws the recordings, filters and sort order. If the line is too long, its
 * start is cut, so that the last filter and the order are shown.
 */
static void draw_diff_crumbs(const struct tui_diff *tui, struct grid *grid)
{
	struct grid_pen pen = grid_pen(grid, 1);
	_cleanup_strbuf_ struct strbuf text = { 0 }, order = { 0 };
	size_t end = pen.end;

	array_each(&tui->diff.sides, side) {
		strbuf_puts(&text, text.n ? ", " : "");
		escape_text(&text, diff_side_name(&tui->diff, side));
	}
	/* Append the filters of the view, escaped: " > DSO x". */
	const char *mark = tui->screen.grid.has_utf8 ? "\u203a" : ">";
	array_each(&tui->filters, filter) {
		strbuf_printf(&text, " %s %s ", mark, filter->name);
		escape_text(&text, filter->text);
	}
	/*
	 * Append the sort order, and the number of the recording if more than
	 * one recording is compared with the baseline.
	 */
	if (!tui->diff.style.order)
		strbuf_puts(&order, "by baseline");
	else
		strbuf_printf(&order, "by %s",
			style_diff_compute_name(tui->diff.style.compute));
	if (tui->diff.style.order && tui->diff.sides.n > 2)
		strbuf_printf(&order, "/%" PRIu64, tui->diff.style.order);
	if (order.n + 2 < end / 2)
		pen.end -= order.n + 2;
	tui_put_tail(&pen, GRID_CRUMB, text.at);
	pen.end = end;
	tui_put_at_end(&pen, GRID_DIM, order.at);
}

/* --- columns ------------------------------------------------------------- */

static size_t diff_cell_blanks(
	const struct tui_diff *tui, size_t i, const char *text)
{
	size_t width = grid_width(text);

	return tui->shown.at[i] > width ? tui->shown.at[i] - width : 0;
}

/*
 * Starts column I: writes the blanks before TEXT, its content. Columns of sort
 * keys scroll horizontally by TUI->shift; the columns of numbers before them do
 * not.
 */
static void begin_diff_column(const struct tui_diff *tui, size_t i,
	const char *text, struct grid_pen *pen)
{
	const struct diff_column *column = &tui->columns.at.at[i];

	grid_fill(pen, GRID_PLAIN, 2);
	if (column->kind == DIFF_KEY && !column->number)
		pen->skip = tui->shift;
	if (!column->is_left)
		grid_fill(pen, GRID_PLAIN, diff_cell_blanks(tui, i, text));
}

static void end_diff_column(const struct tui_diff *tui, size_t i,
	const char *text, struct grid_pen *pen)
{
	if (tui->columns.at.at[i].is_left)
		grid_fill(pen, GRID_PLAIN, diff_cell_blanks(tui, i, text));
}

static void draw_diff_heads(const struct tui_diff *tui, struct grid *grid)
{
	struct grid_pen pen = grid_pen(grid, TUI_DIFF_LINES_ABOVE - 1);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < tui->columns.at.n; i++) {
		if (!tui->shown.at[i])
			continue;
		strbuf_clear(&text);
		diff_column_head(&tui->diff, &tui->columns.at.at[i], &text);
		begin_diff_column(tui, i, text.at, &pen);
		/*
		 * The heading is cut if the column is narrower than
		 * needed.
		 */
		size_t end = pen.end;
		if (tui->shown.at[i] < tui->widths.at[i] &&
			i + 1 < tui->columns.at.n)
			pen.end = MIN(end, pen.column + tui->shown.at[i]);
		grid_put(&pen, GRID_HEAD, text.at);
		pen.end = end;
		end_diff_column(tui, i, text.at, &pen);
	}
}

static void draw_diff_row(const struct tui_diff *tui,
	const struct diff_row *row, struct grid_pen *pen)
{
	const char *searched = tui->searched.n ? tui->searched.at : NULL;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < tui->columns.at.n; i++) {
		const struct diff_column *column = &tui->columns.at.at[i];

		if (!tui->shown.at[i])
			continue;
		strbuf_clear(&text);
		strbuf_puts(&text, "");
		diff_cell_put(
			&tui->diff, tui_diff_event(tui), row, column, &text);
		tui_shorten_name(&text, tui->shown.at[i]);
		begin_diff_column(tui, i, text.at, pen);
		if (column->kind == DIFF_KEY)
			tui_put_head(pen, text.at,
				i + 1 < tui->columns.at.n ? tui->shown.at[i]
							  : tui_pen_room(pen),
				searched);
		else {
			static const enum grid_style styles[] = {
				[DIFF_PLAIN] = GRID_PLAIN,
				[DIFF_NOISE] = GRID_DIM,
				[DIFF_MORE] = GRID_HOT,
				[DIFF_LESS] = GRID_WARM,
			};
			grid_put(pen,
				styles[diff_cell_look(&tui->diff, row, column)],
				text.at);
		}
		end_diff_column(tui, i, text.at, pen);
	}
}

/* --- rows ---------------------------------------------------------------- */

void tui_diff_draw(void *view)
{
	struct tui_diff *tui = view;
	_cleanup_strbuf_ struct strbuf hints = { 0 };
	struct grid *grid = &tui->screen.grid;

	if (!tui_screen_resize(&tui->screen))
		return;
	tui_keys_put_hints(tui->keys, &hints);
	tui_diff_fit(tui);
	grid_clear(grid);
	draw_diff_title(tui, grid);
	draw_diff_crumbs(tui, grid);
	draw_diff_heads(tui, grid);
	size_t height = tui_diff_height(tui), i;
	if (!tui->rows.n)
		tui_put_reason(tui->filters.n
				? "no row matches the filters; Backspace removes "
				  "the last filter"
				: "no row matches the options",
			TUI_DIFF_LINES_ABOVE, grid);
	tui_cursor_scroll(
		tui->rows.n, height, tui->cursor, &tui->cursor, &tui->top);
	for (i = tui->top; i < MIN(tui->top + height, tui->rows.n); i++) {
		size_t line = TUI_DIFF_LINES_ABOVE + i - tui->top;
		struct grid_pen pen = grid_pen(grid, line);

		draw_diff_row(tui, tui->rows.at[i], &pen);
		if (i == tui->cursor)
			grid_highlight(grid, line);
	}
	tui_put_message(
		tui->screen.message.n ? tui->screen.message.at : hints.at,
		tui->cursor, tui->rows.n, grid);
	terminal_show(grid);
}

static void put_details_cell(const struct tui_diff *tui,
	const struct diff_row *row, enum diff_column_kind kind, size_t side,
	struct strbuf *out)
{
	const struct diff_column column = { kind, side, false };

	diff_cell_put(&tui->diff, tui_diff_event(tui), row, &column, out);
}

/* Appends the change of recording SIDE by each method: delta, ratio, wdiff. */
static void put_side_changes(struct tui_diff *tui, const struct diff_row *row,
	size_t side, struct strbuf *out)
{
	static const struct {
		enum style_diff_compute compute;
		const char *name;
	} ways[] = {
		{ STYLE_DIFF_DELTA, "delta" },
		{ STYLE_DIFF_RATIO, "ratio" },
		{ STYLE_DIFF_WDIFF, "wdiff" },
	};
	const struct style_diff was = tui->diff.style;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		tui->diff.style.compute = ways[i].compute;
		style_diff_finish(&tui->diff.style);
		strbuf_printf(out, "    %s    ", ways[i].name);
		/*
		 * Append the change of recording SIDE by the current method of
		 * .options, the error of the change, and its formula.
		 */
		struct diff_change changes[DIFF_SIDES_MAX];
		struct diff_row own = *row;
		changes[side] = diff_change_now(
			&tui->diff, tui_diff_event(tui), row, side);
		own.changes = changes;
		put_details_cell(tui, &own, DIFF_COMPUTED, side, out);
		strbuf_puts(out, " +/- ");
		put_details_cell(tui, &own, DIFF_ERROR, side, out);
		strbuf_puts(out, " = ");
		put_details_cell(tui, &own, DIFF_FORMULA, side, out);
		strbuf_putc(out, '\n');
	}
	tui->diff.style = was;
}

void tui_diff_put_keys(const struct tui_diff *tui, const struct diff_row *row,
	struct strbuf *out)
{
	size_t i;

	for (i = 0; i < tui->diff.keys.n; i++) {
		strbuf_puts(out, i ? "  " : "");
		escape_text(out, diff_key_text(&tui->diff, row, i));
	}
}

void tui_diff_show_details(struct tui_diff *tui)
{
	_cleanup_strbuf_ struct strbuf title = { 0 }, text = { 0 };
	const struct diff_row *row;
	size_t side;

	if (!tui->rows.n)
		return;
	row = tui->rows.at[tui->cursor];
	for (side = 0; side < tui->diff.sides.n; side++) {
		const struct diff_cell *cell = &row->cells[side];
		strbuf_printf(&text, "[%zu] ", side);
		escape_text(&text, tui->diff.sides.at[side].path);
		strbuf_printf(&text, "%s\n", side ? "" : " (Baseline)");
		strbuf_printf(
			&text, "    samples  %" PRIu64 "\n", cell->samples);
		strbuf_puts(&text,
			tui->diff.options->time.counted ? "    time     "
							: "    period   ");
		stdio_period_text(tui->diff.options, cell->period, &text);
		strbuf_putc(&text, '\n');
		strbuf_printf(&text, "    share    %.2f%%\n", cell->share);
		if (!row->changes[side].is_known)
			continue;
		put_side_changes(tui, row, side, &text);
		const struct diff_change *change = &row->changes[side];
		const char *verdict = diff_verdict(&tui->diff, change);

		/*
		 * A change that is significant by itself can be noise among
		 * many rows.
		 */
		if (string_is(verdict, "~"))
			verdict = change->p < DIFF_MATH_LEVEL
				? "noise, given the number of rows"
				: "noise";
		strbuf_printf(&text, "    chance   p = %.3g: %s%s\n", change->p,
			verdict,
			change->is_gone		 ? ", only in the baseline"
				: change->is_new ? ", not in the baseline"
						 : "");
	}
	tui_diff_put_keys(tui, row, &title);
	tui_show_text(&tui->screen, title.at, text.at);
}
