/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal that an interactive view is on, by ncurses: keys come from it,
 * and grids are shown on it. There is one. What grids hold is no matter of it.
 */
#ifndef DWELL_REPORT_TUI_TERMINAL_H
#define DWELL_REPORT_TUI_TERMINAL_H

#include "common/util/error.h"
#include "report/tui/grid.h"

/* Less than that is no room for a table. */
#define TERMINAL_LINES_MIN 8u
#define TERMINAL_COLUMNS_MIN 40u

/* Keys that are no characters. */
enum terminal_key {
	TERMINAL_NONE = 0x200000, /* none came in time */
	TERMINAL_RESIZED,
	TERMINAL_UP,
	TERMINAL_DOWN,
	TERMINAL_LEFT,
	TERMINAL_RIGHT,
	TERMINAL_PAGE_UP,
	TERMINAL_PAGE_DOWN,
	TERMINAL_HOME,
	TERMINAL_END,
	TERMINAL_ENTER,
	TERMINAL_BACKSPACE,
	TERMINAL_DELETE,
	TERMINAL_ESCAPE,
	TERMINAL_TAB,
	TERMINAL_BACK_TAB,
	TERMINAL_HELP,
	TERMINAL_GONE, /* nobody sits there any more */
};

/*
 * Whether somebody sits there: standard input and output are terminals, and it
 * is known how to use them. terminal_check() tells why they can't show what they
 * should, or NULL.
 */
bool terminal_is_there(void);
struct error *terminal_check(void) _must_check_;

/* Takes it over until terminal_close(), or until the program ends. */
struct error *terminal_open(bool has_colour) _must_check_;
void terminal_close(void);

/* GRID gets the terminal's size, and what it can show. */
void terminal_fit(struct grid *grid);
void terminal_show(const struct grid *grid);
/* A character, or one of enum terminal_key. Waits so long, below 0 for ever. */
uint32_t terminal_key(int wait_ms);

#endif
