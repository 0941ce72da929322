/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keys do that only move in a result, or show more of it. */
#include "config.h"

#include "report/tui/tui_private.h"
#include "report/view/header.h"

#define SHIFT 10u

void tui_go_up(struct tui *tui)
{
	tui_lines_move(&tui->lines, -1);
}

void tui_go_down(struct tui *tui)
{
	tui_lines_move(&tui->lines, 1);
}

void tui_go_page_up(struct tui *tui)
{
	tui_lines_move(&tui->lines, -(ptrdiff_t)tui->lines.height);
}

void tui_go_page_down(struct tui *tui)
{
	tui_lines_move(&tui->lines, (ptrdiff_t)tui->lines.height);
}

void tui_go_first(struct tui *tui)
{
	tui_lines_go(&tui->lines, 0);
}

void tui_go_last(struct tui *tui)
{
	tui_lines_go(&tui->lines, SIZE_MAX);
}

void tui_shift_left(struct tui *tui)
{
	tui->page.shift -= MIN(tui->page.shift, (size_t)SHIFT);
}

void tui_shift_right(struct tui *tui)
{
	tui->page.shift += SHIFT;
}

static void say_if_nothing(struct tui *tui, bool has_turned)
{
	if (!tui->result->forest && !tui->has_begun)
		tui_say(&tui->screen, "call chains are on their way");
	else if (!tui->result->forest)
		tui_say(&tui->screen, "there are no call chains to unfold");
	else if (!has_turned)
		tui_say(&tui->screen, "there is nothing in it to unfold");
}

void tui_turn(struct tui *tui)
{
	say_if_nothing(tui, tui_lines_turn(&tui->lines));
}

void tui_turn_all(struct tui *tui)
{
	say_if_nothing(tui, tui_lines_turn_all(&tui->lines));
}

void tui_open_all(struct tui *tui)
{
	if (tui_lines_open_all(&tui->lines))
		say_if_nothing(tui, true);
	else
		tui_say(&tui->screen, "there is no memory for the branches of more "
			     "rows");
}

void tui_close_all(struct tui *tui)
{
	tui_lines_close_all(&tui->lines);
}

void tui_turn_heads(struct tui *tui)
{
	tui->page.hides_heads = !tui->page.hides_heads;
}

void tui_show_help(struct tui *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	tui_keys_put_help(tui->keys, &text);
	tui_show_text(&tui->screen, "Keys", text.at);
}

void tui_show_header(struct tui *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	header_put_all(tui->result, &text);
	if (tui->answer->notes.n)
		strbuf_printf(&text, "# notes:\n%s", tui->answer->notes.at);
	tui_show_text(&tui->screen, "The recording", text.at);
}

void tui_leave(struct tui *tui)
{
	tui->is_over = true;
}
