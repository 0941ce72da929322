/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of which the user chooses one, on the whole screen. */
#include "config.h"

#include "common/util/alloc.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_screen.h"

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

static void draw(const struct tui_menu *menu, size_t chosen, struct grid *grid)
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
			grid_choose(grid, i + 1);
	}
	pen = grid_pen(grid, grid->lines - 1);
	grid_put(&pen, GRID_QUIET, "Enter: take it  q: back to the rows");
	terminal_show(grid);
}

static size_t moved(size_t chosen, size_t n, uint32_t key, size_t height)
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
			key == TERMINAL_BACKSPACE || key == TERMINAL_GONE)
			return NULL;
		if (tui_fits(screen)) {
			chosen = moved(chosen, menu->items.n, key,
				screen->grid.lines - LINES_AROUND);
			draw(menu, chosen, &screen->grid);
		}
		key = tui_key(screen, -1);
	}
	return menu->items.at[chosen].value;
}
