/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui.h"

#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/survey/incomplete.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_private.h"
#include "report/tui/tui_screen.h"

/* A report that fails within this time needs no screen. */
#define FIRST_MS 50
/* Interval between checks for a new result. */
#define STEP_MS 20

static void press_tui_key(struct tui *tui, uint32_t key)
{
	const struct tui_key *found =
		tui_keys_press(tui->keys, key, &tui->screen, &tui->is_over);

	if (found)
		found->press(tui);
}

/* Keys that are typed before the first result apply to that result. */
static void hold_early_key(struct tui *tui, uint32_t key)
{
	if (key == TERMINAL_CLOSED || key == 'q')
		tui->is_over = true;
	else
		tui_screen_hold_key(&tui->screen, key);
}

static void run_tui_loop(struct tui *tui)
{
	while (!tui->is_over) {
		tui_pass_poll(tui, 0);
		if (tui->is_over)
			break;
		tui_draw(tui);
		if (tui->shown)
			press_tui_key(tui,
				tui_screen_key(&tui->screen,
					tui->next ? STEP_MS : -1));
		else
			hold_early_key(tui, terminal_key(STEP_MS));
	}
}

static void tui_deinit(struct tui *tui)
{
	tui_result_destroy(tui->next);
	tui_lines_deinit(&tui->lines);
	tui_result_destroy(tui->shown);
	tui_query_deinit(&tui->query);
	strbuf_free(&tui->searched);
	tui_screen_deinit(&tui->screen);
}

static void draw_tui_view(void *view)
{
	tui_draw(view);
}

struct error *tui_run(const struct options *options)
{
	bool has_graphs = options->graph.style != GRAPH_NONE;
	struct tui tui = { .options = options,
		.keys = tui_bindings + (has_graphs ? 0 : TUI_GRAPH_KEYS),
		.screen = { .draw = draw_tui_view, .view = &tui } };

	tui_screen_begin(&tui.screen);
	tui_query_init(options, &tui.query);
	tui_pass_begin(&tui);
	tui_pass_poll(&tui, FIRST_MS);
	if (!tui.is_over)
		tui.err = terminal_open(options->has_colour);
	if (!tui.err)
		run_tui_loop(&tui);
	terminal_close();
	tui_screen_print_notes(&tui.screen);
	/* Exit without waiting for a result that is not needed any more. */
	if (!tui.err && tui.next && !tui_result_is_ready(tui.next, 0))
		_exit(incomplete_is_reported() ? EXIT_INCOMPLETE
					       : EXIT_SUCCESS);
	tui_deinit(&tui);
	return tui.err;
}

/* Returns an option whose output is text only, or NULL. --tui excludes it. */
static const char *text_only_option(const struct options *options)
{
	if (options->shows_stats)
		return "--stats";
	if (options->shows_maps)
		return "--mmaps";
	if (options->shows_tasks)
		return "--tasks";
	if (options->shows_dsos)
		return "--dsos without names";
	if (options->only_header)
		return "--header-only";
	return options->separator ? "--field-separator" : NULL;
}

/* Standard input cannot be read again for each filter. */
static bool reads_standard_input(const struct options *options)
{
	array_each(&options->inputs.names, name)
		if (string_is(*name, "-"))
			return true;
	return false;
}

/*
 * The interactive view shows the header and call graphs in its own way: these
 * options select text unless --tui is given.
 */
static bool prefers_text(const struct options *options)
{
	return options->shows_header || options->graph.style == GRAPH_FLAT ||
		options->graph.style == GRAPH_FOLDED;
}

static struct error *check_tui_option(const struct options *options)
{
	const char *text = text_only_option(options);

	if (text)
		return error_usage(
			"--tui: %s prints text; use one of them", text);
	if (reads_standard_input(options))
		return error_usage(
			"--tui: standard input cannot be read again for each "
			"filter; save the recording to a file");
	return error_wrap(terminal_check(), "--tui");
}

struct error *tui_choose(
	const struct options *options, bool *is_interactive_ret)
{
	_cleanup_error_ struct error *why = NULL;

	*is_interactive_ret = options->interactive == CHOICE_ON;
	if (*is_interactive_ret)
		return check_tui_option(options);
	if (options->interactive == CHOICE_OFF || text_only_option(options) ||
		reads_standard_input(options) || prefers_text(options) ||
		!terminal_is_interactive())
		return NULL;
	why = terminal_check();
	*is_interactive_ret = !why;
	if (why)
		log_note("%s; printing the report as text", why->text);
	return NULL;
}

struct error *tui_code_run(const char *title, const char *text, bool has_colour)
{
	_cleanup_strbuf_ struct strbuf shown = { 0 };
	struct tui_screen screen = { 0 };
	struct error *err = terminal_open(has_colour);

	if (err)
		return err;
	escape_text(&shown, title);
	tui_screen_begin(&screen);
	tui_show_code(&screen, shown.at, text);
	terminal_close();
	tui_screen_print_notes(&screen);
	tui_screen_deinit(&screen);
	return NULL;
}
