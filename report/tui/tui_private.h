/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the interactive view share. */
#ifndef DWELL_REPORT_TUI_TUI_PRIVATE_H
#define DWELL_REPORT_TUI_TUI_PRIVATE_H

#include "report/tui/tui_keys.h"
#include "report/tui/tui_lines.h"
#include "report/tui/tui_page.h"
#include "report/tui/tui_result.h"
#include "report/tui/tui_screen.h"

struct tui {
	const struct options *asked; /* by the command line */
	const struct tui_key *keys;
	struct tui_wish wish;
	struct tui_answer *answer; /* to an older wish: what is shown */
	struct tui_answer *next;   /* that is on its way; NULL: none is */
	bool is_outdated;          /* .next: the wish changed since */
	bool is_preview;           /* .next */
	bool has_begun;            /* what was asked for is shown, not less */
	bool has_changed;          /* the wish, from what was asked for */
	const struct result *result; /* .answer's */
	size_t hist; /* which one is shown */
	struct tui_lines lines;
	struct tui_page page;
	struct tui_screen screen;
	struct strbuf wanted;  /* what is searched for */
	bool is_over;
	struct error *err; /* what ended it */
};

/* The first ones are of call graphs only. */
#define TUI_KEYS_OF_GRAPHS 5
extern const struct tui_key tui_bindings[];

/* tui_actions.c */
void tui_go_up(struct tui *tui);
void tui_go_down(struct tui *tui);
void tui_go_page_up(struct tui *tui);
void tui_go_page_down(struct tui *tui);
void tui_go_first(struct tui *tui);
void tui_go_last(struct tui *tui);
void tui_shift_left(struct tui *tui);
void tui_shift_right(struct tui *tui);
void tui_turn(struct tui *tui);
void tui_turn_all(struct tui *tui);
void tui_open_all(struct tui *tui);
void tui_close_all(struct tui *tui);
void tui_turn_heads(struct tui *tui);
void tui_show_help(struct tui *tui);
void tui_show_header(struct tui *tui);
void tui_leave(struct tui *tui);
/* tui_search.c */
void tui_search(struct tui *tui);
void tui_find_next(struct tui *tui);
void tui_find_last(struct tui *tui);
/* tui_filters.c */
void tui_filter_comm(struct tui *tui);
void tui_filter_dso(struct tui *tui);
void tui_filter_kernel(struct tui *tui);
void tui_filter_thread(struct tui *tui);
void tui_filter_name(struct tui *tui);
void tui_filter_back(struct tui *tui);
/* tui_pass.c */
void tui_give_up(struct tui *tui);
/* tui_times.c */
void tui_filter_time(struct tui *tui);
/* tui_orders.c */
void tui_choose_keys(struct tui *tui);
void tui_type_keys(struct tui *tui);
void tui_turn_children(struct tui *tui);
void tui_turn_graphs(struct tui *tui);
void tui_turn_relative(struct tui *tui);
void tui_type_limit(struct tui *tui);
/* tui_annotate.c */
void tui_annotate(struct tui *tui);
/* tui_write.c */
void tui_write(struct tui *tui);
/* tui_draw.c: shows the page as it is now. */
void tui_draw(struct tui *tui);
/* tui.c */
void tui_next_event(struct tui *tui);
void tui_last_event(struct tui *tui);

/* ANSWER is what is shown from now on: takes ownership. */
void tui_show_answer(struct tui *tui, struct tui_answer *answer);
/* tui_pass.c: what was asked for is begun, or first a preview of it. */
void tui_pass_begin(struct tui *tui);
/* What has come of what is on its way, if anything has within so long. */
void tui_take(struct tui *tui, int wait_ms);
/* The wish has changed: what is shown will follow. */
void tui_change(struct tui *tui);
/*
 * What WISH comes to, now: while it is waited for, that is shown, and Esc gives
 * it up.
 */
struct tui_answer *tui_ask(
	struct tui *tui, const struct tui_wish *wish, tui_answer_make *make);
/* What WISH begins with, to RET. False: with itself. */
bool tui_preview(const struct tui_wish *wish, struct tui_wish *ret);
/* The row that the cursor is on; NULL: none. */
const struct row *tui_row(const struct tui *tui);
/* Where the code of the cursor's line is; HASH_NONE: rows don't tell. */
uint32_t tui_location(const struct tui *tui);
/* The column of the field NAME; NULL: it isn't shown. */
const struct column *tui_column(const struct result *result, const char *name);

#endif
