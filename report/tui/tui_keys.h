/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of keys. A view's table defines its actions, its help, and the hints
 * at the bottom of its screen.
 */
#ifndef DWELL_REPORT_TUI_TUI_KEYS_H
#define DWELL_REPORT_TUI_TUI_KEYS_H

#include "common/util/strbuf.h"

#define KEYS(...) ((const uint32_t[]){ __VA_ARGS__, 0 })
#define CONTROL(letter) ((letter)&0x1fu)

struct tui;
struct tui_diff;
struct tui_screen;
struct tui_text;

/* One key, or several keys with the same action. */
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

#endif
