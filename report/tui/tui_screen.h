/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What interactive views have of the terminal: the grid that they draw, a line
 * at its bottom, keys, and what can take its whole place for a while: a text, a
 * list to choose from. What a view shows itself is no matter of it.
 */
#ifndef DWELL_REPORT_TUI_TUI_SCREEN_H
#define DWELL_REPORT_TUI_TUI_SCREEN_H

#include "report/tui/grid.h"

/* A zeroed one is to be given its view's .draw. */
struct tui_screen {
	struct grid grid;
	struct strbuf message; /* at the bottom, until the next key; escaped */
	struct strbuf notes;   /* what was told meanwhile, a line each */
	ARRAY(uint32_t) held;  /* keys that came too early */
	void (*draw)(void *view); /* shows it as it is now */
	void *view;
};

/* Notes come to the bottom of the screen from now on. */
void tui_screen_begin(struct tui_screen *screen);
/* All of them, to stderr: when the terminal is closed. */
void tui_screen_tell(const struct tui_screen *screen);
void tui_screen_deinit(struct tui_screen *screen);

/* What the user is told until the next key. */
void tui_say(struct tui_screen *screen, const char *format, ...) _printf_(2, 3);
/* To be told at the end, once. */
void tui_note(struct tui_screen *screen, const char *lines);

/* The next key, as terminal_key() has it; those that were held come first. */
uint32_t tui_key(struct tui_screen *screen, int wait_ms);
/* KEY comes later, as long as there aren't too many. */
void tui_hold(struct tui_screen *screen, uint32_t key);
/*
 * The grid gets the terminal's size. False: that is too small for anything,
 * which is shown.
 */
bool tui_fits(struct tui_screen *screen);
/* Nothing but TEXT. */
void tui_draw_line(struct tui_screen *screen, const char *text);

/* --- what takes its place (tui_prompt.c, tui_text.c, tui_menu.c) ---------- */

/*
 * Has the user type TEXT, behind LABEL at the bottom. What is there is suggested:
 * the first character takes its place, other keys edit it. False: it was given
 * up, or is empty.
 */
bool tui_prompt(
	struct tui_screen *screen, const char *label, struct strbuf *text);
/* The same from nothing; a TEXT that was given up stays as it was. */
bool tui_prompt_anew(
	struct tui_screen *screen, const char *label, struct strbuf *text);
/*
 * Lines of text that one can go through, until a key ends it. Its codes for
 * colours are those of stdio_cell.h.
 */
void tui_show_text(
	struct tui_screen *screen, const char *title, const char *text);
/*
 * The same of code, whose lines begin with their share if they have one: the
 * hottest one is seen first, and keys lead to the next ones.
 */
void tui_show_code(
	struct tui_screen *screen, const char *title, const char *text);

/* What can be chosen: a line each, escaped, behind what it stands for. */
struct tui_menu {
	const char *title;
	ARRAY(struct tui_item {
		char *value, *text; /* owned */
	})
	items;
};
void tui_menu_add(struct tui_menu *menu, const char *value, const char *text);
void tui_menu_deinit(struct tui_menu *menu);
/* The value that was chosen, borrowed from MENU, or NULL. */
const char *tui_menu_run(
	struct tui_screen *screen, const struct tui_menu *menu);

#endif
