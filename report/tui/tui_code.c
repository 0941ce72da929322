/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_code.h"

#include "common/util/escape.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_screen.h"

struct error *tui_code_run(
	const char *title, const char *text, bool has_colour)
{
	_cleanup_strbuf_ struct strbuf shown = { 0 };
	struct tui_screen screen = { 0 };
	struct error *err = terminal_open(has_colour);

	if (err)
		return err;
	escape_text(&shown, title);
	tui_screen_begin(&screen);
	tui_show_code(&screen, shown.at, text);
	terminal_close();
	tui_screen_tell(&screen);
	tui_screen_deinit(&screen);
	return NULL;
}
