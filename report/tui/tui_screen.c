/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_screen.h"

#include <stdarg.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/tui/terminal.h"
#include "report/util/progress.h"

/* Further keys are dropped. */
#define HELD_MAX 256u

/* --- messages ------------------------------------------------------------ */

void tui_screen_message(struct tui_screen *screen, const char *format, ...)
{
	_cleanup_strbuf_ struct strbuf raw = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&raw, format, args);
	va_end(args);
	strbuf_clear(&screen->message);
	escape_text(&screen->message, raw.at);
}

static void add_screen_note(struct tui_screen *screen, const char *line)
{
	_cleanup_strbuf_ struct strbuf all = { 0 }, wanted = { 0 };

	strbuf_printf(&all, "\n%s", screen->notes.n ? screen->notes.at : "");
	strbuf_printf(&wanted, "\n%s\n", line);
	if (*line && !strstr(all.at, wanted.at))
		strbuf_printf(&screen->notes, "%s\n", line);
}

void tui_screen_note(struct tui_screen *screen, const char *lines)
{
	_cleanup_free_ char *copy = xstrdup(lines);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		add_screen_note(screen, line);
}

/* A message that is logged while no tui_result takes messages. */
static void take_screen_note(void *context, const char *line)
{
	struct tui_screen *screen = context;

	add_screen_note(screen, line);
	strbuf_clear(&screen->message);
	strbuf_puts(&screen->message, line);
}

static void ignore_progress(void *context _unused_, const char *what _unused_,
	double percent _unused_)
{
}

void tui_screen_begin(struct tui_screen *screen)
{
	log_divert((struct log_receiver){ take_screen_note, screen });
	progress_divert((struct progress_receiver){ ignore_progress, NULL });
}

void tui_screen_print_notes(const struct tui_screen *screen)
{
	_cleanup_free_ char *copy =
		screen->notes.n ? xstrdup(screen->notes.at) : NULL;
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_print_line(line);
}

void tui_screen_deinit(struct tui_screen *screen)
{
	log_divert((struct log_receiver){ 0 });
	progress_divert((struct progress_receiver){ 0 });
	grid_deinit(&screen->grid);
	strbuf_free(&screen->message);
	strbuf_free(&screen->notes);
	array_free(&screen->held);
}

/* --- keys and lines ------------------------------------------------------ */

uint32_t tui_screen_key(struct tui_screen *screen, int wait_ms)
{
	uint32_t key;

	if (!screen->held.n)
		return terminal_key(wait_ms);
	key = screen->held.at[0];
	memmove(screen->held.at, screen->held.at + 1,
		--screen->held.n * sizeof(key));
	return key;
}

void tui_screen_hold_key(struct tui_screen *screen, uint32_t key)
{
	if (key != TERMINAL_NONE && key != TERMINAL_RESIZED &&
		screen->held.n < HELD_MAX)
		*array_push(&screen->held) = key;
}

void tui_screen_draw_line(struct tui_screen *screen, const char *text)
{
	struct grid_pen pen = grid_pen(&screen->grid, 0);

	grid_clear(&screen->grid);
	grid_put(&pen, GRID_PLAIN, text);
	terminal_show(&screen->grid);
}

bool tui_screen_resize(struct tui_screen *screen)
{
	terminal_resize_grid(&screen->grid);
	if (screen->grid.lines >= TERMINAL_LINES_MIN &&
		screen->grid.columns >= TERMINAL_COLUMNS_MIN)
		return true;
	tui_screen_draw_line(screen, "terminal too small; q: quit");
	return false;
}
