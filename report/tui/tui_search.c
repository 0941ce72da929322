/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is searched for in the lines that are shown. */
#include "config.h"

#include "report/tui/tui_private.h"

static void find(struct tui *tui, bool forwards)
{
	if (!tui->wanted.n)
		tui_say(&tui->screen, "nothing was searched for; / begins");
	else if (!tui_lines_find(&tui->lines, tui->wanted.at, forwards))
		tui_say(&tui->screen, "'%s' is nowhere", tui->wanted.at);
}

void tui_search(struct tui *tui)
{
	if (tui_prompt_anew(&tui->screen, "/", &tui->wanted))
		find(tui, true);
}

void tui_find_next(struct tui *tui)
{
	find(tui, true);
}

void tui_find_last(struct tui *tui)
{
	find(tui, false);
}
