/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal of an interactive view: reads keys and shows grids, with
 * ncurses. There is one terminal per process.
 */
#ifndef DWELL_REPORT_TUI_TERMINAL_H
#define DWELL_REPORT_TUI_TERMINAL_H

#include "common/util/error.h"
#include "report/tui/grid.h"

/* The smallest terminal on which a table is readable. */
#define TERMINAL_LINES_MIN 8u
#define TERMINAL_COLUMNS_MIN 40u

/* Keys that are not characters. */
enum terminal_key {
	TERMINAL_NONE = 0x200000, /* no key within the waiting time */
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
	TERMINAL_CLOSED, /* the terminal was closed */
};

/* Returns whether standard input and standard output are terminals. */
bool terminal_is_interactive(void);
/* Returns why the terminal cannot show an interactive view, or NULL. */
struct error *terminal_check(void) _must_check_;

/*
 * Takes over the whole terminal until terminal_close() or the end of the
 * program.
 */
struct error *terminal_open(bool has_colour) _must_check_;
void terminal_close(void);

/* Sets the size of GRID to the size of the terminal, and its .has_utf8. */
void terminal_resize_grid(struct grid *grid);
void terminal_show(const struct grid *grid);
/*
 * Returns a character or an enum terminal_key. Waits at most WAIT_MS
 * milliseconds, or forever if WAIT_MS is negative.
 */
uint32_t terminal_key(int wait_ms);

#endif
