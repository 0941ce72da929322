/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the interactive view of a report, and the actions of its keys. */
#ifndef DWELL_REPORT_TUI_TUI_PRIVATE_H
#define DWELL_REPORT_TUI_TUI_PRIVATE_H

#include "report/tui/tui_lines.h"
#include "report/tui/tui_page.h"
#include "report/tui/tui_query.h"
#include "report/tui/tui_screen.h"

struct tui {
	const struct options *options; /* options of the command line */
	const struct tui_key *keys;
	struct tui_query query;
	struct tui_result *shown; /* displayed result, possibly of an older
				   * query, or NULL */
	struct tui_result *next;  /* result being computed, or NULL */
	bool is_outdated;	  /* .query changed after .next was started */
	bool is_preview;	  /* .next is a preview */
	bool has_first_result;	  /* a result that is not a preview was shown */
	bool has_new_query;	  /* .query differs from the command line */
	const struct result *result; /* result of .shown */
	size_t hist;		     /* index of the displayed histogram */
	struct tui_lines lines;
	struct tui_page page;
	struct tui_screen screen;
	struct strbuf searched; /* search text */
	bool is_over;
	struct error *err; /* error that ended the view, or NULL */
};

/* tui_actions.c */
void tui_press(struct tui *tui, enum tui_action action);
/* tui_filters.c: does an action that changes the query. */
void tui_change_query(struct tui *tui, enum tui_action action);
/* tui_time_filter.c: asks for a time slice, and shows only its samples. */
void tui_filter_time(struct tui *tui);

/* tui_shown.c */
/* Shows the histogram NUMBER of the result. */
void tui_show_event(struct tui *tui, size_t number);
/* VIEW is a struct tui, as for tui_screen.draw. */
void tui_draw(void *view);
/* Returns the row of the cursor's line, or NULL. */
const struct row *tui_cursor_row(const struct tui *tui);
/* Returns the location of the cursor's line, or HASH_NONE. */
uint32_t tui_cursor_location(const struct tui *tui);
/*
 * Returns the column of the sort key NAME, or NULL if RESULT has no such
 * column.
 */
const struct column *tui_find_column(
	const struct result *result, const char *name);
/* Starts to compute the query, or first a preview of the query's result. */
void tui_pass_begin(struct tui *tui);
/*
 * Waits at most WAIT_MS milliseconds for the result being computed, and shows
 * or rejects a ready result.
 */
void tui_pass_poll(struct tui *tui, int wait_ms);
/* Starts to compute a new result after a change of the query. */
void tui_pass_update(struct tui *tui);
/*
 * Computes QUERY with MAKE and waits for the result. Shows the progress; Esc
 * cancels. Returns the result, whose .err is set after an error, owned by the
 * caller.
 */
struct tui_result *tui_pass_wait(
	struct tui *tui, const struct tui_query *query, tui_result_make *make);

#endif
