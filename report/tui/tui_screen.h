/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of an interactive view: the grid, a message at the bottom, keys,
 * and what can replace the view for a while: a prompt, a text, or a menu.
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
	struct strbuf message; /* at the bottom, until the next key; escaped */
	struct strbuf notes;   /* for tui_screen_print_notes(), one per line */
	ARRAY(uint32_t) held;  /* keys of tui_screen_hold_key() */
	void (*draw)(void *view); /* draws the view */
	void *view;
};

/* Shows messages of log.h at the bottom of the screen from now on. */
void tui_screen_begin(struct tui_screen *screen);
/* Prints all notes to stderr, after the terminal was closed. */
void tui_screen_print_notes(const struct tui_screen *screen);
void tui_screen_deinit(struct tui_screen *screen);

/* Sets the message, which is shown until the next key. */
void tui_screen_message(struct tui_screen *screen, const char *format, ...)
	_printf_(2, 3);
/* Adds each of LINES to the notes, unless the notes contain it. */
void tui_screen_note(struct tui_screen *screen, const char *lines);

/* Returns the next key, like terminal_key(); first the held keys. */
uint32_t tui_screen_key(struct tui_screen *screen, int wait_ms);
/* Keeps KEY for tui_screen_key(), up to a maximum number of keys. */
void tui_screen_hold_key(struct tui_screen *screen, uint32_t key);
/*
 * Sets the size of the grid to that of the terminal. Returns false if the
 * terminal is too small, and shows that.
 */
bool tui_screen_resize(struct tui_screen *screen);
/* Shows a screen with TEXT only. */
void tui_screen_draw_line(struct tui_screen *screen, const char *text);

/* --- tables of keys ------------------------------------------------------ */

struct tui;
struct tui_diff;
struct tui_text;

/*
 * One key, or several keys with the same action. A view's table of keys defines
 * its actions, its help, and the hints at the bottom of its screen.
 */
struct tui_key {
	const uint32_t *keys; /* ends with 0 */
	const char *name;     /* in the help and the manual page */
	const char *help;
	const char *hint; /* at the bottom of the screen, or NULL */
	/* The action in a report, in a comparison, or in a text. */
	void (*press)(struct tui *tui);
	void (*press_diff)(struct tui_diff *tui);
	void (*press_text)(struct tui_text *text);
};

/*
 * Returns the entry of KEY in TABLE, whose last entry has no name, or NULL.
 * Clears the message of SCREEN, reports an unknown key there, and sets IS_OVER
 * if the terminal was closed.
 */
const struct tui_key *tui_keys_press(const struct tui_key *table, uint32_t key,
	struct tui_screen *screen, bool *is_over);
/* Appends all keys of TABLE with their help to OUT, one per line. */
void tui_keys_put_help(const struct tui_key *table, struct strbuf *out);
/* Appends the keys with a hint to OUT: "Enter: expand  /: search". */
void tui_keys_put_hints(const struct tui_key *table, struct strbuf *out);

/* --- prompts and menus --------------------------------------------------- */

/*
 * Lets the user edit TEXT, after LABEL in the bottom line. A character as first
 * key replaces TEXT. Returns false if the user cancelled or TEXT is empty.
 */
bool tui_prompt(
	struct tui_screen *screen, const char *label, struct strbuf *text);
/* The same with an empty line. TEXT is unchanged if the user cancelled. */
bool tui_prompt_empty(
	struct tui_screen *screen, const char *label, struct strbuf *text);

/* A list to choose from. */
struct tui_menu {
	const char *title;
	ARRAY(struct tui_item {
		char *value, *text; /* owned; TEXT is shown, escaped */
	})
	items;
};
void tui_menu_add(struct tui_menu *menu, const char *value, const char *text);
void tui_menu_deinit(struct tui_menu *menu);
/* Returns the chosen value, borrowed from MENU, or NULL. */
const char *tui_menu_run(
	struct tui_screen *screen, const struct tui_menu *menu);

/* --- tui_text.c ---------------------------------------------------------- */

/* Shows TEXT, with colour codes of stdio_cell.h, until the user leaves it. */
void tui_show_text(
	struct tui_screen *screen, const char *title, const char *text);
/*
 * The same for annotated code, whose lines can begin with a percentage. Starts
 * at the line with the largest percentage; keys move to the next ones.
 */
void tui_show_code(
	struct tui_screen *screen, const char *title, const char *text);

#endif
