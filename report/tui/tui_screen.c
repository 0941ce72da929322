/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_screen.h"

#include <stdarg.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/tui/terminal.h"
#include "report/util/progress.h"

/* Who types more before there is anything to see has left. */
#define HELD_MAX 256u

/* --- what is told --------------------------------------------------------- */

void tui_say(struct tui_screen *screen, const char *format, ...)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&raw, format, args);
	va_end(args);
	strbuf_clear(&screen->message);
	escape_text(&screen->message, raw.at);
}

static void note_line(struct tui_screen *screen, const char *line)
{
	_cleanup_strbuf_ struct strbuf all = { 0 }, wanted = { 0 };

	strbuf_printf(&all, "\n%s", screen->notes.n ? screen->notes.at : "");
	strbuf_printf(&wanted, "\n%s\n", line);
	if (*line && !strstr(all.at, wanted.at))
		strbuf_printf(&screen->notes, "%s\n", line);
}

void tui_note(struct tui_screen *screen, const char *lines)
{
	_cleanup_free_ char *copy = xstrdup(lines);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		note_line(screen, line);
}

/* Where no answer takes it: what is told while something is drawn. */
static void take_note(void *context, const char *line)
{
	struct tui_screen *screen = context;

	note_line(screen, line);
	strbuf_clear(&screen->message);
	strbuf_puts(&screen->message, line);
}

static void take_progress(void *context _unused_, const char *what _unused_,
	double percent _unused_)
{
}

void tui_screen_begin(struct tui_screen *screen)
{
	log_divert((struct log_taker){ take_note, screen });
	progress_divert((struct progress_taker){ take_progress, NULL });
}

void tui_screen_tell(const struct tui_screen *screen)
{
	_cleanup_free_ char *copy =
		screen->notes.n ? xstrdup(screen->notes.at) : NULL;
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_retell(line);
}

void tui_screen_deinit(struct tui_screen *screen)
{
	log_divert((struct log_taker){ 0 });
	progress_divert((struct progress_taker){ 0 });
	grid_deinit(&screen->grid);
	strbuf_free(&screen->message);
	strbuf_free(&screen->notes);
	array_free(&screen->held);
}

/* --- keys and lines ------------------------------------------------------- */

uint32_t tui_key(struct tui_screen *screen, int wait_ms)
{
	uint32_t key;

	if (!screen->held.n)
		return terminal_key(wait_ms);
	key = screen->held.at[0];
	memmove(screen->held.at, screen->held.at + 1,
		--screen->held.n * sizeof(key));
	return key;
}

void tui_hold(struct tui_screen *screen, uint32_t key)
{
	if (key != TERMINAL_NONE && key != TERMINAL_RESIZED &&
		screen->held.n < HELD_MAX)
		*array_push(&screen->held) = key;
}

void tui_draw_line(struct tui_screen *screen, const char *text)
{
	struct grid_pen pen = grid_pen(&screen->grid, 0);

	grid_clear(&screen->grid);
	grid_put(&pen, GRID_PLAIN, text);
	terminal_show(&screen->grid);
}

bool tui_fits(struct tui_screen *screen)
{
	terminal_fit(&screen->grid);
	if (screen->grid.lines >= TERMINAL_LINES_MIN &&
		screen->grid.columns >= TERMINAL_COLUMNS_MIN)
		return true;
	tui_draw_line(screen, "too small; q leaves");
	return false;
}
