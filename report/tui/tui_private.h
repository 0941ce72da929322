/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the interactive view of a report, and the actions of its keys.
 */
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
void tui_go_up(struct tui *tui);
void tui_go_down(struct tui *tui);
void tui_go_page_up(struct tui *tui);
void tui_go_page_down(struct tui *tui);
void tui_go_first(struct tui *tui);
void tui_go_last(struct tui *tui);
void tui_shift_left(struct tui *tui);
void tui_shift_right(struct tui *tui);
void tui_toggle_branch(struct tui *tui);
void tui_toggle_row(struct tui *tui);
void tui_expand_all(struct tui *tui);
void tui_collapse_all(struct tui *tui);
void tui_toggle_heads(struct tui *tui);
void tui_show_help(struct tui *tui);
void tui_show_header(struct tui *tui);
void tui_quit(struct tui *tui);
void tui_search(struct tui *tui);
void tui_find_next(struct tui *tui);
void tui_find_previous(struct tui *tui);
void tui_write(struct tui *tui);
void tui_annotate(struct tui *tui);
/* tui_filters.c */
void tui_filter_comm(struct tui *tui);
void tui_filter_dso(struct tui *tui);
void tui_filter_kernel(struct tui *tui);
void tui_filter_thread(struct tui *tui);
void tui_filter_name(struct tui *tui);
void tui_remove_filter(struct tui *tui);
void tui_cancel(struct tui *tui);
void tui_choose_keys(struct tui *tui);
void tui_type_keys(struct tui *tui);
void tui_toggle_children(struct tui *tui);
void tui_toggle_inverted(struct tui *tui);
void tui_toggle_waits(struct tui *tui);
void tui_toggle_relative(struct tui *tui);
void tui_type_limit(struct tui *tui);
/* tui_time_filter.c: asks for a time slice, and shows only its samples. */
void tui_filter_time(struct tui *tui);

/* tui_shown.c */
void tui_next_event(struct tui *tui);
void tui_previous_event(struct tui *tui);
void tui_draw(struct tui *tui);
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
