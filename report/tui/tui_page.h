/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the lines of the interactive view into a grid: a title, the filters, a
 * note about the recording, the headings of the columns, the lines, and a
 * message.
 */
#ifndef DWELL_REPORT_TUI_TUI_PAGE_H
#define DWELL_REPORT_TUI_TUI_PAGE_H

#include "report/tui/grid.h"
#include "report/tui/tui_lines.h"

/*
 * The columns of one histogram. tui_page_begin() initializes .widths, .shift
 * and .note.
 */
struct tui_page {
	size_t widths[COLUMNS_MAX]; /* for each column: needed width */
	size_t shown[COLUMNS_MAX];  /* for each column: displayed width; 0:
				     * hidden */
	size_t shift; /* screen columns of names scrolled out to the left */
	bool hides_heads;
	char *note; /* the line below the filters, escaped, or NULL; owned */
};

/* The text around the lines; all strings are borrowed. */
struct tui_frame {
	const char *crumbs;	  /* the recordings and filters, escaped */
	const char *message;	  /* in the bottom line, escaped */
	bool wraps_message;	  /* a long message is wrapped, not shortened */
	const char *empty_reason; /* text if there are no lines */
	const char *searched;	  /* search text, or NULL */
};

/*
 * Sets .widths to the column widths that the rows of LINES need, .shift to 0,
 * and .note. PAGE is zeroed or was used before.
 */
void tui_page_begin(struct tui_page *page, const struct tui_lines *lines);
void tui_page_deinit(struct tui_page *page);
/* Returns the number of lines that GRID has room for. */
size_t tui_page_height(const struct tui_page *page, const struct grid *grid);
void tui_page_draw(struct tui_page *page, const struct tui_lines *lines,
	const struct tui_frame *frame, struct grid *grid);
/* tui_widths.c: sets .shown from .widths and the SCREEN's width. */
void tui_page_fit(
	struct tui_page *page, const struct tui_lines *lines, size_t screen);

#endif
