/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_keys.h"

#include "report/tui/terminal.h"
#include "report/tui/tui_screen.h"

static const struct tui_key *find_key_action(
	const struct tui_key *table, uint32_t key)
{
	const struct tui_key *at;
	const uint32_t *one;

	for (at = table; at->name; at++)
		for (one = at->keys; *one; one++)
			if (*one == key)
				return at;
	return NULL;
}

const struct tui_key *tui_keys_press(const struct tui_key *table, uint32_t key,
	struct tui_screen *screen, bool *is_over)
{
	const struct tui_key *found = find_key_action(table, key);

	if (key == TERMINAL_NONE || key == TERMINAL_RESIZED)
		return NULL;
	strbuf_clear(&screen->message);
	if (key == TERMINAL_CLOSED)
		*is_over = true;
	else if (!found)
		tui_screen_message(screen, "unknown key; press h for help");
	return found;
}

void tui_keys_put_help(const struct tui_key *table, struct strbuf *out)
{
	const struct tui_key *key;

	for (key = table; key->name; key++)
		strbuf_printf(out, "  %-14s %s\n", key->name, key->help);
}

void tui_keys_put_hints(const struct tui_key *table, struct strbuf *out)
{
	const struct tui_key *key;

	for (key = table; key->name; key++)
		if (key->hint)
			strbuf_printf(out, "%s%.*s: %s", out->n ? "  " : "",
				(int)strcspn(key->name, ","), key->name,
				key->hint);
}
