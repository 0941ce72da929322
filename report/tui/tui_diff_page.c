/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a comparison looks on a screen. */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_cursor.h"
#include "report/tui/tui_diff_private.h"

#define LINES_ABOVE 3u /* the title, the crumbs, the heads */
#define LINES_BELOW 1u

size_t tui_diff_height(const struct tui_diff *tui)
{
	size_t lines = tui->screen.grid.lines;

	return lines > LINES_ABOVE + LINES_BELOW
		? lines - LINES_ABOVE - LINES_BELOW
		: 0;
}

/* --- above the rows ------------------------------------------------------- */

static void draw_title(const struct tui_diff *tui, struct grid *grid)
{
	const struct diff_event *event = tui_diff_event(tui);
	struct grid_pen pen = grid_pen(grid, 0);
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_puts(&text, "Event '");
	escape_text(&text, event->name);
	strbuf_puts(&text, "', samples: ");
	array_each(&event->totals, total)
		strbuf_printf(&text, "%s%" PRIu64,
			total == event->totals.at ? "" : ", ", total->samples);
	grid_put(&pen, GRID_TITLE, text.at);
	if (tui->diff.events.n < 2)
		return;
	strbuf_clear(&text);
	strbuf_printf(
		&text, "event %zu of %zu", tui->event + 1, tui->diff.events.n);
	tui_put_at_end(&pen, GRID_QUIET, text.at);
}

/* What rows are sorted by; of three recordings or more, which one decides. */
static void put_order(const struct diff *diff, struct strbuf *out)
{
	if (!diff->style->order)
		strbuf_puts(out, "by baseline");
	else
		strbuf_printf(out, "by %s",
			diff_compute_name(diff->style->compute));
	if (diff->style->order && diff->sides.n > 2)
		strbuf_printf(out, "/%" PRIu64, diff->style->order);
}

/* The filter that was chosen last is seen in any case, and so is the order. */
static void draw_crumbs(const struct tui_diff *tui, struct grid *grid)
{
	struct grid_pen pen = grid_pen(grid, 1);
	_cleanup_strbuf_ struct strbuf text = { 0 }, order = { 0 };
	size_t end = pen.end;

	array_each(&tui->diff.sides, side) {
		strbuf_puts(&text, text.n ? ", " : "");
		escape_text(&text, diff_side_name(&tui->diff, side));
	}
	tui_diff_put_crumbs(tui, &text);
	put_order(&tui->diff, &order);
	if (order.n + 2 < end / 2)
		pen.end -= order.n + 2;
	tui_put_tail(&pen, GRID_CRUMB, text.at);
	pen.end = end;
	tui_put_at_end(&pen, GRID_QUIET, order.at);
}

/* --- columns -------------------------------------------------------------- */

static enum grid_style style_of(const struct tui_diff *tui,
	const struct diff_row *row, const struct diff_column *column)
{
	static const enum grid_style styles[] = {
		[DIFF_PLAIN] = GRID_PLAIN,
		[DIFF_NOISE] = GRID_QUIET,
		[DIFF_MORE] = GRID_HOT,
		[DIFF_LESS] = GRID_WARM,
	};

	return styles[diff_cell_look(&tui->diff, row, column)];
}

static size_t blanks_of(const struct tui_diff *tui, size_t i, const char *text)
{
	size_t width = grid_width(text);

	return tui->shown.at[i] > width ? tui->shown.at[i] - width : 0;
}

/*
 * What stands before TEXT in its column. Numbers stay where they are; keys are
 * moved by the shift.
 */
static void begin_column(const struct tui_diff *tui, size_t i,
	const char *text, struct grid_pen *pen)
{
	const struct diff_column *column = &tui->columns.at.at[i];

	grid_fill(pen, GRID_PLAIN, 2);
	if (column->kind == DIFF_KEY && !column->number)
		pen->skip = tui->shift;
	if (!column->is_left)
		grid_fill(pen, GRID_PLAIN, blanks_of(tui, i, text));
}

static void end_column(const struct tui_diff *tui, size_t i, const char *text,
	struct grid_pen *pen)
{
	if (tui->columns.at.at[i].is_left)
		grid_fill(pen, GRID_PLAIN, blanks_of(tui, i, text));
}

/* The last one may go on to the end of the line. */
static size_t room_of(
	const struct tui_diff *tui, size_t i, const struct grid_pen *pen)
{
	return i + 1 < tui->columns.at.n ? tui->shown.at[i] : tui_room(pen);
}

/* It may be wider than its column is here. */
static void put_head(const struct tui_diff *tui, size_t i, const char *head,
	struct grid_pen *pen)
{
	size_t end = pen->end;

	if (tui->shown.at[i] < tui->widths.at[i] &&
		i + 1 < tui->columns.at.n)
		pen->end = MIN(end, pen->column + tui->shown.at[i]);
	grid_put(pen, GRID_HEAD, head);
	pen->end = end;
}

static void draw_heads(const struct tui_diff *tui, struct grid *grid)
{
	struct grid_pen pen = grid_pen(grid, LINES_ABOVE - 1);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	for (i = 0; i < tui->columns.at.n; i++) {
		if (!tui->shown.at[i])
			continue;
		strbuf_clear(&text);
		diff_column_head(&tui->diff, &tui->columns.at.at[i], &text);
		begin_column(tui, i, text.at, &pen);
		put_head(tui, i, text.at, &pen);
		end_column(tui, i, text.at, &pen);
	}
}

static void draw_row(const struct tui_diff *tui, const struct diff_row *row,
	struct grid_pen *pen)
{
	const char *wanted = tui->wanted.n ? tui->wanted.at : NULL;
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
		begin_column(tui, i, text.at, pen);
		if (column->kind == DIFF_KEY)
			tui_put_head(pen, text.at, room_of(tui, i, pen), wanted);
		else
			grid_put(pen, style_of(tui, row, column), text.at);
		end_column(tui, i, text.at, pen);
	}
}

/* --- all of it ------------------------------------------------------------ */

static const char *why_nothing(const struct tui_diff *tui)
{
	return tui->filters.n
		? "no row passes the filters; Backspace takes the last one "
		  "back"
		: "no row passes what was asked for";
}

static void draw_rows(struct tui_diff *tui, struct grid *grid)
{
	size_t height = tui_diff_height(tui), i;

	if (!tui->rows.n)
		tui_put_nothing(why_nothing(tui), LINES_ABOVE, grid);
	tui_scroll(tui->rows.n, height, tui->cursor, &tui->cursor, &tui->top);
	for (i = tui->top; i < MIN(tui->top + height, tui->rows.n); i++) {
		size_t line = LINES_ABOVE + i - tui->top;
		struct grid_pen pen = grid_pen(grid, line);

		draw_row(tui, tui->rows.at[i], &pen);
		if (i == tui->cursor)
			grid_choose(grid, line);
	}
}

void tui_diff_draw(struct tui_diff *tui)
{
	_cleanup_strbuf_ struct strbuf hints = { 0 };
	struct grid *grid = &tui->screen.grid;

	if (!tui_fits(&tui->screen))
		return;
	tui_keys_put_hints(tui_diff_bindings, &hints);
	tui_diff_fit(tui);
	grid_clear(grid);
	draw_title(tui, grid);
	draw_crumbs(tui, grid);
	draw_heads(tui, grid);
	draw_rows(tui, grid);
	tui_put_bottom(
		tui->screen.message.n ? tui->screen.message.at : hints.at,
		tui->cursor, tui->rows.n, grid);
	terminal_show(grid);
}
