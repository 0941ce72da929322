/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the interactive view's lines look on a screen: a title, the filters, the
 * heads of the columns, as many lines as there is room for, and what the user
 * is told. It only draws: what is shown is decided elsewhere.
 */
#ifndef DWELL_REPORT_TUI_TUI_PAGE_H
#define DWELL_REPORT_TUI_TUI_PAGE_H

#include "report/tui/grid.h"
#include "report/tui/tui_lines.h"

/* Of one histogram. A zeroed one is to be begun. */
struct tui_page {
	size_t widths[COLUMNS_MAX]; /* of all that stands in the columns */
	size_t shown[COLUMNS_MAX];  /* as wide as they are on this screen; 0:
				     * there is no room for it */
	size_t shift; /* so many columns of long names are to the left */
	bool hides_heads;
};

/* What is told around the lines; borrowed. */
struct tui_around {
	const char *crumbs;  /* what is shown of which recording, escaped */
	const char *message; /* at the bottom, escaped */
	bool is_whole;       /* all of it is to be seen */
	const char *nothing; /* why there are no lines, if there are none */
	const char *wanted;  /* what was searched for stands out; or NULL */
};

/* The columns get the widths that LINES need. */
void tui_page_begin(struct tui_page *page, const struct tui_lines *lines);
/* LINES that GRID has room for. */
size_t tui_page_height(const struct tui_page *page, const struct grid *grid);
void tui_page_draw(struct tui_page *page, const struct tui_lines *lines,
	const struct tui_around *around, struct grid *grid);
/* tui_page_fit.c: .shown, of .widths, on a SCREEN that is so wide. */
void tui_page_fit(
	struct tui_page *page, const struct tui_lines *lines, size_t screen);

#endif
