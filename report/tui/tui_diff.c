/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_diff.h"

#include "report/tui/terminal.h"
#include "report/tui/tui_diff_private.h"
#include "report/util/progress.h"

static void press(struct tui_diff *tui, uint32_t key)
{
	const struct tui_key *found = tui_keys_press(
		tui_diff_bindings, key, &tui->screen, &tui->is_over);

	if (found)
		found->press_diff(tui);
}

static void draw(void *view)
{
	tui_diff_draw(view);
}

static struct error *show(struct tui_diff *tui)
{
	struct error *err = terminal_open(tui->options.has_colour);

	if (err)
		return err;
	tui_screen_begin(&tui->screen);
	terminal_fit(&tui->screen.grid);
	tui_diff_list(tui);
	while (!tui->is_over) {
		tui_diff_draw(tui);
		press(tui, tui_key(&tui->screen, -1));
	}
	terminal_close();
	tui_screen_tell(&tui->screen);
	return NULL;
}

static void deinit(struct tui_diff *tui)
{
	array_each(&tui->filters, filter)
		free(filter->text);
	array_free(&tui->filters);
	array_free(&tui->rows);
	array_free(&tui->columns.at);
	array_free(&tui->widths);
	array_free(&tui->shown);
	strbuf_free(&tui->wanted);
	tui_screen_deinit(&tui->screen);
	diff_deinit(&tui->diff);
}

struct error *tui_diff_run(const struct options *options)
{
	struct tui_diff tui = { .options = *options,
		.screen = { .draw = draw, .view = &tui } };
	struct error *err = diff_make(&tui.options, &tui.diff);

	progress_clear();
	if (!err)
		err = show(&tui);
	deinit(&tui);
	return err;
}
