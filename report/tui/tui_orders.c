/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By what samples are grouped, and how rows count: the report's options. */
#include "config.h"

#include "report/options/options_shared.h"
#include "report/rows/fields.h"
#include "report/tui/tui_private.h"

/* What is asked for most. */
static const char *const usual[] = { "comm,dso,sym", "sym", "dso,sym", "dso",
	"comm", "comm,dso", "tid,comm", "pid,comm" };

static const char of_time[] = "state,comm,dso,sym";

static bool is_there(const struct field *field, const struct inputs *inputs)
{
	array_each(&inputs->at, input)
		if (field_is_there(field, input->reader))
			return true;
	return false;
}

/* The keys that samples of the recording have. */
static void fill(const struct result *result, struct tui_menu *menu)
{
	const struct field *field;
	size_t i;

	if (result->options->time)
		tui_menu_add(menu, of_time, of_time);
	for (i = 0; i < ARRAY_SIZE(usual); i++)
		tui_menu_add(menu, usual[i], usual[i]);
	for (i = 0; (field = field_at(i)); i++) {
		_cleanup_strbuf_ struct strbuf text = { 0 };

		if (field->kind != FIELD_KEY ||
			!is_there(field, &result->inputs))
			continue;
		strbuf_printf(&text, "%-18s %s", field->name,
			field->header + strspn(field->header, " "));
		tui_menu_add(menu, field->name, text.at);
	}
}

void tui_choose_keys(struct tui *tui)
{
	struct tui_menu menu = { .title = "Rows by" };
	const char *keys;

	fill(tui->result, &menu);
	keys = tui_menu_run(&tui->screen, &menu);
	if (keys) {
		tui_wish_sort(&tui->wish, keys);
		tui_change(tui);
	}
	tui_menu_deinit(&menu);
}

void tui_type_keys(struct tui *tui)
{
	_cleanup_strbuf_ struct strbuf keys = { 0 };

	if (!tui_prompt(&tui->screen, "rows by (as behind -s): ", &keys))
		return;
	tui_wish_sort(&tui->wish, keys.at);
	tui_change(tui);
}

void tui_turn_children(struct tui *tui)
{
	tui->wish.options.children = tui->result->request.has_children
		? CHOICE_OFF
		: CHOICE_ON;
	tui_change(tui);
}

void tui_turn_graphs(struct tui *tui)
{
	tui->wish.options.is_inverted = false;
	tui->wish.options.callers_first = tui->result->request.is_inverted
		? CHOICE_OFF
		: CHOICE_ON;
	tui_change(tui);
}

void tui_turn_relative(struct tui *tui)
{
	tui->wish.options.is_relative = !tui->wish.options.is_relative;
	tui_change(tui);
}

void tui_type_limit(struct tui *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_error_ struct error *err = NULL;

	if (!tui_prompt(&tui->screen, "hide rows below (percent): ", &text))
		return;
	err = options_take_percent(
		"limit", text.at, &tui->wish.options.percent_limit);
	if (err)
		tui_say(&tui->screen, "%s", err->text);
	else
		tui_change(tui);
}
