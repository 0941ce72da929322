/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all interactive views do alike with their lines, whatever these are of:
 * where the cursor goes, what is found, and what stands around them.
 */
#ifndef DWELL_REPORT_TUI_TUI_CURSOR_H
#define DWELL_REPORT_TUI_TUI_CURSOR_H

#include "report/tui/grid.h"

/*
 * The cursor goes to LINE of N, or as far as there are lines; TOP, the first
 * one of the HEIGHT that are seen, follows.
 */
void tui_scroll(
	size_t n, size_t height, size_t line, size_t *cursor, size_t *top);

/*
 * Where TEXT has WANTED, or NULL. Without a capital letter in it WANTED is
 * found in any case.
 */
const char *tui_match(const char *text, const char *wanted);
/* TEXT, in which WANTED stands out; NULL: nothing does. */
void tui_put_found(struct grid_pen *pen, const char *text, const char *wanted);

/*
 * TEXT as tui_put_found() has it, in so many columns at most: a mark tells that
 * its end isn't shown.
 */
void tui_put_head(struct grid_pen *pen, const char *text, size_t width,
	const char *wanted);
/* So many columns of a text end at the end of the line, with those it skips. */
size_t tui_room(const struct grid_pen *pen);
/* TEXT up to the end of a line; if it is longer, without its beginning. */
void tui_put_tail(
	struct grid_pen *pen, enum grid_style style, const char *text);
/* TEXT at the end of a line, if there is room for it behind the pen. */
void tui_put_at_end(
	struct grid_pen *pen, enum grid_style style, const char *text);
/* On that line, instead of all that could have been there: WHY there is none. */
void tui_put_nothing(const char *why, size_t line, struct grid *grid);
/* The last line: MESSAGE, and in any case at which of N lines the cursor is. */
void tui_put_bottom(
	const char *message, size_t cursor, size_t n, struct grid *grid);
/*
 * The same of a message that matters: what there is no room for in the last line
 * takes some above it.
 */
void tui_put_whole(
	const char *message, size_t cursor, size_t n, struct grid *grid);

#endif
