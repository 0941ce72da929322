/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of an interactive view: the grid, a message at the bottom, keys,
 * and a prompt, text or menu that temporarily replaces the view.
 */
#ifndef DWELL_REPORT_TUI_TUI_SCREEN_H
#define DWELL_REPORT_TUI_TUI_SCREEN_H

#include "common/util/strbuf.h"
#include "report/tui/grid.h"

#define KEYS(...) ((const uint32_t[]){ __VA_ARGS__, 0 })
#define CONTROL(letter) ((letter)&0x1fu)

/* The view sets .draw and .view; the rest is zero-initialized. */
struct tui_screen {
	struct grid grid;
	struct strbuf message;	  /* bottom line until the next key; escaped */
	struct strbuf notes;	  /* messages, one per line */
	ARRAY(uint32_t) held;	  /* keys for tui_screen_key() */
	void (*draw)(void *view); /* draws the view */
	void *view;
};

/*
 * Shows messages of log.h in the bottom line of SCREEN until
 * tui_screen_deinit().
 */
void tui_screen_begin(struct tui_screen *screen);
/* Prints all notes of SCREEN to stderr. Call it after terminal_close(). */
void tui_screen_print_notes(const struct tui_screen *screen);
void tui_screen_deinit(struct tui_screen *screen);

/* Sets the message of the bottom line, which is shown until the next key. */
void tui_screen_message(struct tui_screen *screen, const char *format, ...)
	_printf_(2, 3);
/*
 * Adds each line of LINES to the notes, unless the notes already contain the
 * line.
 */
void tui_screen_note(struct tui_screen *screen, const char *lines);

/*
 * Returns the next key: a key of tui_screen_hold_key(), or the result of
 * terminal_key(WAIT_MS).
 */
uint32_t tui_screen_key(struct tui_screen *screen, int wait_ms);
/* Keeps KEY for tui_screen_key(). Drops KEY if too many keys are kept. */
void tui_screen_hold_key(struct tui_screen *screen, uint32_t key);
/*
 * Sets the size of the grid to the size of the terminal. If the terminal is too
 * small, shows a message and returns false.
 */
bool tui_screen_resize(struct tui_screen *screen);
/* Shows a screen whose only content is TEXT, in the first line. */
void tui_screen_draw_line(struct tui_screen *screen, const char *text);

/* --- tables of keys ------------------------------------------------------ */

enum tui_action {
	TUI_DO_NOTHING,
	/* in all views; tui_keys_move() does those up to TUI_DO_RIGHT */
	TUI_DO_UP,
	TUI_DO_DOWN,
	TUI_DO_PAGE_UP,
	TUI_DO_PAGE_DOWN,
	TUI_DO_FIRST,
	TUI_DO_LAST,
	TUI_DO_LEFT,
	TUI_DO_RIGHT,
	TUI_DO_SEARCH,
	TUI_DO_FIND_NEXT,
	TUI_DO_FIND_PREVIOUS,
	TUI_DO_HELP,
	TUI_DO_QUIT,
	/* in reports and comparisons */
	TUI_DO_NEXT_EVENT,
	TUI_DO_PREVIOUS_EVENT,
	TUI_DO_FILTER_COMM,
	TUI_DO_FILTER_DSO,
	TUI_DO_FILTER_NAME,
	TUI_DO_UNFILTER,
	TUI_DO_CHOOSE_KEYS,
	/* in comparisons */
	TUI_DO_DETAILS,
	/* in annotated code */
	TUI_DO_HOTTEST,
	TUI_DO_NEXT_HOT,
	TUI_DO_PREVIOUS_HOT,
	TUI_DO_SOURCE,
	/* in reports: lines */
	TUI_DO_TOGGLE,
	TUI_DO_TOGGLE_ROW,
	TUI_DO_EXPAND_ALL,
	TUI_DO_COLLAPSE_ALL,
	TUI_DO_HEADS,
	TUI_DO_HEADER,
	TUI_DO_WRITE,
	TUI_DO_ANNOTATE,
	/* in reports: the query */
	TUI_DO_INVERT,
	TUI_DO_FILTER_THREAD,
	TUI_DO_FILTER_KERNEL,
	TUI_DO_FILTER_TIME,
	TUI_DO_CANCEL,
	TUI_DO_RELATIVE,
	TUI_DO_LIMIT,
	TUI_DO_TYPE_KEYS,
	TUI_DO_CHILDREN,
	TUI_DO_WAITS,
};

/*
 * One key, or several keys with the same action. A view's table of keys defines
 * its actions, its help, and the hints at the bottom of its screen.
 */
struct tui_key {
	const uint32_t *keys; /* ends with 0 */
	const char *name;     /* names of the keys in the help */
	const char *help;
	const char *hint; /* text in the bottom line, or NULL */
	enum tui_action action;
};

/* The keys of each view that scroll by one screen. */
#define TUI_PAGE_KEYS                                                       \
	{ KEYS(TERMINAL_PAGE_UP, CONTROL('b')), "PgUp",                     \
		"scroll up by one screen", NULL, TUI_DO_PAGE_UP },          \
	{                                                                   \
		KEYS(TERMINAL_PAGE_DOWN, ' ', CONTROL('f')), "PgDn, Space", \
			"scroll down by one screen", NULL, TUI_DO_PAGE_DOWN \
	}
/* The keys of each view that move to another match of the search. */
#define TUI_MATCH_KEYS                                                        \
	{ KEYS('n'), "n", "move to the next match", NULL, TUI_DO_FIND_NEXT }, \
	{                                                                     \
		KEYS('N'), "N", "move to the previous match", NULL,           \
			TUI_DO_FIND_PREVIOUS                                  \
	}

/*
 * Returns the action of KEY in TABLE. The last entry of TABLE has no name.
 * Clears the message of SCREEN, or reports an unknown key in the message. Sets
 * IS_OVER if the key is that to quit, or the terminal was closed.
 */
enum tui_action tui_keys_press(const struct tui_key *table, uint32_t key,
	struct tui_screen *screen, bool *is_over);
/*
 * Changes LINE, which can get too large, and SHIFT, the columns scrolled out to
 * the left, if ACTION moves or scrolls; returns whether it does. HEIGHT is the
 * number of lines of a page.
 */
bool tui_keys_move(
	enum tui_action action, size_t height, size_t *line, size_t *shift);
/*
 * Appends the keys of TABLE that have a hint to OUT: "Enter: expand  /:
 * search".
 */
void tui_keys_put_hints(const struct tui_key *table, struct strbuf *out);

/* --- prompts and menus --------------------------------------------------- */

/*
 * Lets the user edit TEXT in the bottom line, after LABEL. If the first key is
 * a character, it replaces the whole TEXT. Returns false if the user cancelled
 * or TEXT is empty.
 */
bool tui_prompt(
	struct tui_screen *screen, const char *label, struct strbuf *text);
/*
 * Returns whether to look for SEARCHED. For TUI_DO_SEARCH, the user types it
 * first; false, with SEARCHED unchanged: the user cancelled or typed nothing.
 * Otherwise a message reports that there is no text.
 */
bool tui_prompt_search(struct tui_screen *screen, enum tui_action action,
	struct strbuf *searched);

/* A menu: a list of items from which the user chooses one. */
struct tui_menu {
	const char *title;
	ARRAY(struct tui_item {
		char *value, *text; /* owned; .text is displayed, escaped */
	})
	items;
};
void tui_menu_add(struct tui_menu *menu, const char *value, const char *text);
void tui_menu_deinit(struct tui_menu *menu);
/*
 * Returns the value of the chosen item, borrowed from MENU, or NULL if the user
 * cancelled or MENU is empty.
 */
const char *tui_menu_run(
	struct tui_screen *screen, const struct tui_menu *menu);

/* --- tui_text.c ---------------------------------------------------------- */

/*
 * Shows TEXT, which can contain the colour codes of stdio_cell.h, until the
 * user goes back.
 */
void tui_show_text(
	struct tui_screen *screen, const char *title, const char *text);
/* Shows all keys of TABLE with their help, one per line. */
void tui_show_help(struct tui_screen *screen, const struct tui_key *table);
/*
 * Shows TEXT, annotated code whose lines can begin with a percentage, until the
 * user goes back. Starts at the line with the largest percentage; keys move to
 * lines with smaller percentages. SOURCE is the text of whole source files in the same
 * format, which another key shows; empty or NULL: there is none.
 */
void tui_show_code(struct tui_screen *screen, const char *title,
	const char *text, const char *source);

#endif
