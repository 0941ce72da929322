/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line that the user types, and a list to choose from. */
#include "config.h"

#include "common/util/alloc.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_keys.h"
#include "report/tui/tui_screen.h"

static void drop_last_character(struct strbuf *text)
{
	while (text->n && (text->at[--text->n] & 0xc0) == 0x80)
		;
	if (text->at)
		text->at[text->n] = 0;
}

static bool is_typed_character(uint32_t key)
{
	return key >= ' ' && key < TERMINAL_NONE;
}

static void type_character(struct strbuf *text, uint32_t key)
{
	if (key == TERMINAL_BACKSPACE)
		drop_last_character(text);
	else if (key == CONTROL('u'))
		strbuf_clear(text);
	else if (is_typed_character(key))
		grid_encode(text, key);
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
		type_character(text, key);
		tui_screen_message(screen, "%s%s_", label, text->at);
		screen->draw(screen->view);
		key = tui_screen_key(screen, -1);
	}
	strbuf_clear(&screen->message);
	return text->n;
}

bool tui_prompt_empty(
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

#define LINES_AROUND 2u

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

static void draw_menu(
	const struct tui_menu *menu, size_t chosen, struct grid *grid)
{
	size_t height = grid->lines - LINES_AROUND;
	size_t top = chosen >= height ? chosen - height + 1 : 0, i;
	struct grid_pen pen = grid_pen(grid, 0);

	grid_clear(grid);
	grid_put(&pen, GRID_TITLE, menu->title);
	for (i = 0; i < MIN(height, menu->items.n - top); i++) {
		pen = grid_pen(grid, i + 1);
		grid_fill(&pen, GRID_PLAIN, 2);
		grid_put(&pen, GRID_PLAIN, menu->items.at[top + i].text);
		if (top + i == chosen)
			grid_highlight(grid, i + 1);
	}
	pen = grid_pen(grid, grid->lines - 1);
	grid_put(&pen, GRID_DIM, "Enter: choose  q: back");
	terminal_show(grid);
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
			draw_menu(menu, chosen, &screen->grid);
		}
		key = tui_screen_key(screen, -1);
	}
	return menu->items.at[chosen].value;
}
