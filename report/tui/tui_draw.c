/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page as it is now: rows, and what is said around them. */
#include "config.h"

#include "common/util/escape.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_private.h"

static void put_crumbs(const struct tui *tui, struct strbuf *out)
{
	array_each(&tui->result->inputs.at, input) {
		strbuf_puts(out, out->n ? ", " : "");
		escape_text(out, reader_path(input->reader));
	}
	tui_wish_put_crumbs(&tui->answer->wish,
		tui->screen.grid.has_utf8 ? "\u203a" : ">", out);
}

/* What is at the bottom while nothing more important is. */
static void put_message(const struct tui *tui, struct strbuf *out)
{
	if (tui->screen.message.n) {
		strbuf_puts(out, tui->screen.message.at);
	} else if (tui->next) {
		if (tui->answer && !tui->has_begun)
			strbuf_puts(out, "names are on their way: ");
		tui_answer_put_progress(tui->next, out);
		strbuf_puts(out, tui->has_begun ? "  Esc: give it up" : "");
	} else {
		tui_keys_put_hints(tui->keys, out);
	}
}

static const char *why_nothing(const struct tui *tui)
{
	array_each(&tui->lines.hist->rows, row)
		if (row->is_hidden)
			return "no row has what was asked for: a text in its "
			       "function (\\) or a share (L)";
	return tui->answer->wish.filters.n
		? "no sample passes the filters; Backspace takes the last "
		  "one back"
		: "no sample passes what was asked for";
}

static void draw_page(struct tui *tui, const char *message)
{
	_cleanup_strbuf_ struct strbuf crumbs = { 0 };

	tui_lines_fit(
		&tui->lines, tui_page_height(&tui->page, &tui->screen.grid));
	put_crumbs(tui, &crumbs);
	tui_page_draw(&tui->page, &tui->lines,
		&(struct tui_around){ .crumbs = crumbs.at,
			.message = message,
			.is_whole = tui->screen.message.n,
			.nothing = why_nothing(tui),
			.wanted = tui->wanted.n ? tui->wanted.at : NULL },
		&tui->screen.grid);
	terminal_show(&tui->screen.grid);
}

void tui_draw(struct tui *tui)
{
	_cleanup_strbuf_ struct strbuf message = { 0 };

	if (!tui_fits(&tui->screen))
		return;
	put_message(tui, &message);
	if (tui->answer)
		draw_page(tui, message.at);
	else
		tui_draw_line(&tui->screen, message.at);
}
