/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions for all interactive views: moving a cursor through lines, searching
 * text, and drawing the parts of a line and of the bottom line.
 */
#ifndef DWELL_REPORT_TUI_TUI_CURSOR_H
#define DWELL_REPORT_TUI_TUI_CURSOR_H

#include "report/tui/grid.h"

/*
 * Moves CURSOR to LINE, or to the last of the N lines. Changes TOP, the first
 * line on the screen, so that the cursor is among the HEIGHT lines shown.
 */
void tui_cursor_scroll(
	size_t n, size_t height, size_t line, size_t *cursor, size_t *top);

/*
 * Returns the first match of SEARCHED in TEXT, or NULL. The case of letters is
 * ignored unless SEARCHED contains an upper-case letter.
 */
const char *tui_cursor_match(const char *text, const char *searched);
/* Writes TEXT and highlights the matches of SEARCHED, which can be NULL. */
void tui_put_match(
	struct grid_pen *pen, const char *text, const char *searched);

/*
 * Shortens NAME to a form that needs less room, "[kernel]" instead of
 * "[kernel.kallsyms]", if NAME needs more than WIDTH columns.
 */
void tui_shorten_name(struct strbuf *name, size_t width);
/*
 * Writes TEXT, in at most WIDTH columns, and highlights the matches of
 * SEARCHED. An ellipsis marks that the end of TEXT is left out.
 */
void tui_put_head(struct grid_pen *pen, const char *text, size_t width,
	const char *searched);
/*
 * Returns the number of columns up to the end of the line, including the
 * columns that PEN skips.
 */
size_t tui_pen_room(const struct grid_pen *pen);
/*
 * Writes TEXT up to the end of the line. If TEXT is too long, its start is left
 * out.
 */
void tui_put_tail(
	struct grid_pen *pen, enum grid_style style, const char *text);
/* Writes TEXT at the end of the line, if there is room behind PEN. */
void tui_put_at_end(
	struct grid_pen *pen, enum grid_style style, const char *text);
/* Writes REASON, why the view has no rows, on LINE of the screen. */
void tui_put_reason(const char *reason, size_t line, struct grid *grid);
/*
 * Writes the last line of the screen: MESSAGE, shortened if too long, and the
 * position CURSOR among N lines of the view.
 */
void tui_put_message(
	const char *message, size_t cursor, size_t n, struct grid *grid);
/*
 * Writes MESSAGE and the position CURSOR among N lines in the last line of the
 * screen. A long MESSAGE also uses lines above the last line.
 */
void tui_put_long_message(
	const char *message, size_t cursor, size_t n, struct grid *grid);

#endif
