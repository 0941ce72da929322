/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line that the user types. */
#include "config.h"

#include "report/tui/terminal.h"
#include "report/tui/tui_keys.h"
#include "report/tui/tui_screen.h"

/* One character, of whatever length. */
static void drop_last(struct strbuf *text)
{
	while (text->n && (text->at[--text->n] & 0xc0) == 0x80)
		;
	if (text->at)
		text->at[text->n] = 0;
}

static bool is_character(uint32_t key)
{
	return key >= ' ' && key < TERMINAL_NONE;
}

static void type(struct strbuf *text, uint32_t key)
{
	if (key == TERMINAL_BACKSPACE)
		drop_last(text);
	else if (key == CONTROL('u'))
		strbuf_clear(text);
	else if (is_character(key))
		grid_encode(text, key);
}

bool tui_prompt(
	struct tui_screen *screen, const char *label, struct strbuf *text)
{
	uint32_t key = TERMINAL_NONE;
	bool is_suggested = text->n;

	strbuf_puts(text, "");
	while (key != TERMINAL_ENTER) {
		if (key == TERMINAL_ESCAPE || key == TERMINAL_GONE ||
			(key == TERMINAL_BACKSPACE && !text->n)) {
			strbuf_clear(&screen->message);
			return false;
		}
		if (is_suggested && is_character(key))
			strbuf_clear(text);
		is_suggested &= key == TERMINAL_NONE ||
			key == TERMINAL_RESIZED;
		type(text, key);
		tui_say(screen, "%s%s_", label, text->at);
		screen->draw(screen->view);
		key = tui_key(screen, -1);
	}
	strbuf_clear(&screen->message);
	return text->n;
}

bool tui_prompt_anew(
	struct tui_screen *screen, const char *label, struct strbuf *text)
{
	struct strbuf typed = { 0 };

	if (!tui_prompt(screen, label, &typed)) {
		strbuf_free(&typed);
		return false;
	}
	strbuf_free(text);
	*text = typed;
	return true;
}
