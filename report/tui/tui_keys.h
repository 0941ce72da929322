/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of keys, from which an interactive view takes what to do, its help,
 * and the hints at the bottom of its screen.
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

/* One key, or several that do the same. */
struct tui_key {
	const uint32_t *keys; /* 0 ends them */
	const char *name;     /* as the help and the manual call them */
	const char *help;
	const char *hint; /* at the bottom of the screen; or NULL */
	/* In the view of a report, of a comparison, or of a text. */
	void (*press)(struct tui *tui);
	void (*press_diff)(struct tui_diff *tui);
	void (*press_text)(struct tui_text *text);
};

/*
 * What KEY does by TABLE, which one without a name ends. NULL: nothing, which
 * SCREEN tells if there is no such key; *IS_OVER is set if the terminal is gone.
 * The message before is cleared.
 */
const struct tui_key *tui_keys_press(const struct tui_key *table, uint32_t key,
	struct tui_screen *screen, bool *is_over);
/* All of them, a line each. */
void tui_keys_put_help(const struct tui_key *table, struct strbuf *out);
/* "Enter: unfold  /: search": those with a hint. */
void tui_keys_put_hints(const struct tui_key *table, struct strbuf *out);

#endif
