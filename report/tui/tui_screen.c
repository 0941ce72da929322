/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_screen.h"

#include <stdarg.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/tui/terminal.h"
#include "report/util/progress.h"

/* Maximum number of held keys; further keys are dropped. */
#define HELD_MAX 256u
#define LINES_AROUND 2u /* the title and the keys of a menu */
#define SHIFT 10u	/* columns of a step to the left or right */

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

/*
 * Receives a log message while no computation of a tui_result receives log
 * messages.
 */
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

/* --- tables of keys ------------------------------------------------------ */

enum tui_action tui_keys_press(const struct tui_key *table, uint32_t key,
	struct tui_screen *screen, bool *is_over)
{
	const struct tui_key *at;
	const uint32_t *one;

	if (key == TERMINAL_NONE || key == TERMINAL_RESIZED)
		return TUI_DO_NOTHING;
	strbuf_clear(&screen->message);
	for (at = table; at->name; at++) {
		for (one = at->keys; *one && *one != key; one++)
			;
		if (*one)
			break;
	}
	if (key == TERMINAL_CLOSED || at->action == TUI_DO_QUIT)
		*is_over = true;
	else if (!at->name)
		tui_screen_message(screen, "unknown key; press h for help");
	return at->action;
}

bool tui_keys_move(
	enum tui_action action, size_t height, size_t *line, size_t *shift)
{
	switch (action) {
	case TUI_DO_UP: *line -= MIN(*line, (size_t)1); break;
	case TUI_DO_DOWN: ++*line; break;
	case TUI_DO_PAGE_UP: *line -= MIN(*line, height); break;
	case TUI_DO_PAGE_DOWN: *line += height; break;
	case TUI_DO_FIRST: *line = 0; break;
	case TUI_DO_LAST: *line = SIZE_MAX; break;
	case TUI_DO_LEFT: *shift -= MIN(*shift, (size_t)SHIFT); break;
	case TUI_DO_RIGHT: *shift += SHIFT; break;
	default: return false;
	}
	return true;
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

/* --- prompts ------------------------------------------------------------- */

static bool is_typed_character(uint32_t key)
{
	return key >= ' ' && key < TERMINAL_NONE;
}

bool tui_prompt(
	struct tui_screen *screen, const char *label, struct strbuf *text)
{
	uint32_t key = TERMINAL_NONE;
	bool is_suggested = text->n;

	strbuf_puts(text, "");
	while (key != TERMINAL_ENTER) {
		if (key == TERMINAL_ESCAPE || key == TERMINAL_CLOSED ||
			(key == TERMINAL_BACKSPACE && !text->n)) {
			strbuf_clear(&screen->message);
			return false;
		}
		if (is_suggested && is_typed_character(key))
			strbuf_clear(text);
		is_suggested &= key == TERMINAL_NONE || key == TERMINAL_RESIZED;
		if (key == TERMINAL_BACKSPACE) {
			while (text->n && (text->at[--text->n] & 0xc0) == 0x80)
				;
			if (text->at)
				text->at[text->n] = 0;
		} else if (key == CONTROL('u'))
			strbuf_clear(text);
		else if (is_typed_character(key))
			grid_encode(text, key);
		tui_screen_message(screen, "%s%s_", label, text->at);
		screen->draw(screen->view);
		key = tui_screen_key(screen, -1);
	}
	strbuf_clear(&screen->message);
	return text->n;
}

bool tui_prompt_search(struct tui_screen *screen, enum tui_action action,
	struct strbuf *searched)
{
	_cleanup_strbuf_ struct strbuf typed = { 0 };

	if (action != TUI_DO_SEARCH) {
		if (!searched->n)
			tui_screen_message(
				screen, "no search text; press / to search");
		return searched->n;
	}
	if (!tui_prompt(screen, "/", &typed))
		return false;
	strbuf_clear(searched);
	strbuf_puts(searched, typed.at);
	return true;
}

/* --- menus --------------------------------------------------------------- */

void tui_menu_add(struct tui_menu *menu, const char *value, const char *text)
{
	*array_push(&menu->items) = (struct tui_item){ .value = xstrdup(value),
		.text = xstrdup(text) };
}

void tui_menu_deinit(struct tui_menu *menu)
{
	array_each(&menu->items, item) {
		free(item->value);
		free(item->text);
	}
	array_free(&menu->items);
}

static size_t moved_menu_choice(
	size_t chosen, size_t n, uint32_t key, size_t height)
{
	switch (key) {
	case TERMINAL_UP: return chosen ? chosen - 1 : 0;
	case TERMINAL_DOWN: return MIN(chosen + 1, n - 1);
	case TERMINAL_PAGE_UP: return chosen > height ? chosen - height : 0;
	case TERMINAL_PAGE_DOWN: return MIN(chosen + height, n - 1);
	case TERMINAL_HOME: return 0;
	case TERMINAL_END: return n - 1;
	default: return chosen;
	}
}

const char *tui_menu_run(struct tui_screen *screen, const struct tui_menu *menu)
{
	uint32_t key = TERMINAL_NONE;
	size_t chosen = 0;

	if (!menu->items.n)
		return NULL;
	while (key != TERMINAL_ENTER) {
		if (key == 'q' || key == TERMINAL_ESCAPE ||
			key == TERMINAL_BACKSPACE || key == TERMINAL_CLOSED)
			return NULL;
		if (tui_screen_resize(screen)) {
			chosen = moved_menu_choice(chosen, menu->items.n, key,
				screen->grid.lines - LINES_AROUND);
			size_t height = screen->grid.lines - LINES_AROUND;
			size_t top = chosen >= height ? chosen - height + 1 : 0,
			       i;
			struct grid_pen pen = grid_pen(&screen->grid, 0);
			grid_clear(&screen->grid);
			grid_put(&pen, GRID_TITLE, menu->title);
			for (i = 0; i < MIN(height, menu->items.n - top); i++) {
				pen = grid_pen(&screen->grid, i + 1);
				grid_fill(&pen, GRID_PLAIN, 2);
				grid_put(&pen, GRID_PLAIN,
					menu->items.at[top + i].text);
				if (top + i == chosen)
					grid_highlight(&screen->grid, i + 1);
			}
			pen = grid_pen(&screen->grid, screen->grid.lines - 1);
			grid_put(&pen, GRID_DIM, "Enter: choose  q: back");
			terminal_show(&screen->grid);
		}
		key = tui_screen_key(screen, -1);
	}
	return menu->items.at[chosen].value;
}
