/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the interactive view of a comparison. */
#ifndef DWELL_REPORT_TUI_TUI_DIFF_PRIVATE_H
#define DWELL_REPORT_TUI_TUI_DIFF_PRIVATE_H

#include "report/diff/diff_cell.h"
#include "report/tui/tui_screen.h"

/* Shows only rows whose KEY is TEXT, or with any key that contains TEXT. */
struct tui_diff_filter {
	const char *name; /* name of the key: "DSO" */
	size_t key;	  /* TUI_DIFF_ANY_KEY: any key contains TEXT */
	char *text;	  /* owned */
};
#define TUI_DIFF_ANY_KEY SIZE_MAX

struct tui_diff {
	const struct tui_key *keys;
	struct options options; /* options of .diff */
	struct diff diff;
	size_t event; /* index of the displayed event */
	ARRAY(struct tui_diff_filter) filters;
	ARRAY(const struct diff_row *)
	rows; /* rows of .event that match
					      * .filters */
	struct diff_columns columns;
	ARRAY(size_t) widths; /* for each column: needed width */
	ARRAY(size_t) shown;  /* for each column: displayed width; 0: hidden */
	size_t cursor, top;
	size_t shift; /* screen columns of names scrolled out to the left */
	struct tui_screen screen;
	struct strbuf searched; /* search text */
	bool is_over;
};

static inline const struct diff_event *tui_diff_event(
	const struct tui_diff *tui)
{
	return &tui->diff.events.at[tui->event];
}

#define TUI_DIFF_LINES_ABOVE 3u /* the title, the filters, the headings */
#define TUI_DIFF_LINES_BELOW 1u
/* Returns the number of rows that the screen has room for. */
static inline size_t tui_diff_height(const struct tui_diff *tui)
{
	size_t lines = tui->screen.grid.lines;

	return lines > TUI_DIFF_LINES_ABOVE + TUI_DIFF_LINES_BELOW
		? lines - TUI_DIFF_LINES_ABOVE - TUI_DIFF_LINES_BELOW
		: 0;
}

/* tui_widths.c: sets .shown from .widths and the size of the screen. */
void tui_diff_fit(struct tui_diff *tui);

/* tui_diff_page.c */
/* VIEW is a struct tui_diff, as for tui_screen.draw. */
void tui_diff_draw(void *view);
/* Shows all numbers of the cursor's row. */
void tui_diff_show_details(struct tui_diff *tui);
/* Appends the keys of ROW, the text in which a search looks, to OUT. */
void tui_diff_put_keys(const struct tui_diff *tui, const struct diff_row *row,
	struct strbuf *out);

#endif
