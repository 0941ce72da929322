/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui.h"

#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/survey/incomplete.h"
#include "report/tui/terminal.h"
#include "report/tui/tui_private.h"
#include "report/tui/tui_screen.h"

/*
 * Time to wait for the first result before the terminal is taken over: a report
 * that fails within this time needs no screen.
 */
#define FIRST_MS 50
/* Interval between checks for a new result, in ms. */
#define STEP_MS 20
/*
 * The number of keys at the start of tui_bindings that apply to call graphs
 * only.
 */
#define TUI_GRAPH_KEYS 5

/*
 * The keys of the interactive view, in the order of the help screen. Keys are
 * as in perf report; keys without an equivalent there are as in less and htop.
 */
static const struct tui_key tui_bindings[] = {
	{ KEYS(TERMINAL_ENTER, '+'), "Enter, +",
		"expand or collapse the selected row or branch", "expand",
		TUI_DO_TOGGLE },
	{ KEYS('e'), "e", "expand or collapse all branches of the row", NULL,
		TUI_DO_TOGGLE_ROW },
	{ KEYS('E'), "E", "expand all branches of all rows", NULL,
		TUI_DO_EXPAND_ALL },
	{ KEYS('C'), "C", "collapse all rows", NULL, TUI_DO_COLLAPSE_ALL },
	{ KEYS('r'), "r", "start call graphs at callers, or at callees", NULL,
		TUI_DO_INVERT },
	{ KEYS(TERMINAL_UP), "Up", "move to the previous line", NULL,
		TUI_DO_UP },
	{ KEYS(TERMINAL_DOWN), "Down", "move to the next line", NULL,
		TUI_DO_DOWN },
	TUI_PAGE_KEYS,
	{ KEYS(TERMINAL_HOME, 'g'), "Home, g", "move to the first line", NULL,
		TUI_DO_FIRST },
	{ KEYS(TERMINAL_END, 'G'), "End, G", "move to the last line", NULL,
		TUI_DO_LAST },
	{ KEYS(TERMINAL_LEFT), "Left", "scroll long names to their beginning",
		NULL, TUI_DO_LEFT },
	{ KEYS(TERMINAL_RIGHT), "Right", "scroll long names to their end", NULL,
		TUI_DO_RIGHT },
	{ KEYS('/'), "/", "search in the displayed lines", "search",
		TUI_DO_SEARCH },
	TUI_MATCH_KEYS,
	{ KEYS('a', TERMINAL_ENTER), "a", "show the code of the function",
		"code", TUI_DO_ANNOTATE },
	{ KEYS('c'), "c", "show only samples of this command", NULL,
		TUI_DO_FILTER_COMM },
	{ KEYS('d'), "d", "show only samples of this program or library", NULL,
		TUI_DO_FILTER_DSO },
	{ KEYS('t'), "t", "show only samples of this thread", NULL,
		TUI_DO_FILTER_THREAD },
	{ KEYS('k'), "k", "show only samples of the kernel", NULL,
		TUI_DO_FILTER_KERNEL },
	{ KEYS('T'), "T", "show only a time range", NULL, TUI_DO_FILTER_TIME },
	{ KEYS('\\'), "Backslash",
		"show only rows of functions that contain a text", NULL,
		TUI_DO_FILTER_NAME },
	{ KEYS(TERMINAL_BACKSPACE), "Backspace", "remove the last filter", NULL,
		TUI_DO_UNFILTER },
	{ KEYS(TERMINAL_ESCAPE), "Esc",
		"cancel a computation, or remove the last filter", NULL,
		TUI_DO_CANCEL },
	{ KEYS('F'), "F", "percentages of all samples, or of the filtered ones",
		NULL, TUI_DO_RELATIVE },
	{ KEYS('L'), "L", "hide rows below a percentage", NULL, TUI_DO_LIMIT },
	{ KEYS('s'), "s", "choose other sort keys, from a list", "sort",
		TUI_DO_CHOOSE_KEYS },
	{ KEYS('S'), "S", "choose other sort keys, typed as for -s", NULL,
		TUI_DO_TYPE_KEYS },
	{ KEYS('o'), "o", "switch rows of callers on or off", "callers",
		TUI_DO_CHILDREN },
	{ KEYS('w'), "w", "show waits (of record --off-cpu), or CPU samples",
		NULL, TUI_DO_WAITS },
	{ KEYS(TERMINAL_TAB), "Tab", "show the next event", NULL,
		TUI_DO_NEXT_EVENT },
	{ KEYS(TERMINAL_BACK_TAB), "Shift-Tab", "show the previous event", NULL,
		TUI_DO_PREVIOUS_EVENT },
	{ KEYS('H'), "H", "hide or show the headings of the columns", NULL,
		TUI_DO_HEADS },
	{ KEYS('i'), "i", "show the header of the recording", NULL,
		TUI_DO_HEADER },
	{ KEYS('P'), "P", "write the rows as text to a file", NULL,
		TUI_DO_WRITE },
	{ KEYS('h', '?', TERMINAL_HELP), "h, ?, F1", "show this help", "help",
		TUI_DO_HELP },
	{ KEYS('q'), "q", "quit", "quit", TUI_DO_QUIT },
	{ .name = NULL },
};

struct error *tui_run(const struct options *options)
{
	bool has_graphs = options->graph.style != OPTION_GRAPH_NONE;
	struct tui tui = { .options = options,
		.keys = tui_bindings + (has_graphs ? 0 : TUI_GRAPH_KEYS),
		.screen = { .draw = tui_draw, .view = &tui } };
	uint32_t key;

	tui_screen_begin(&tui.screen);
	tui_query_init(options, &tui.query);
	tui_pass_begin(&tui);
	tui_pass_poll(&tui, FIRST_MS);
	if (!tui.is_over)
		tui.err = terminal_open(options->output.has_colour);
	while (!tui.is_over && !tui.err) {
		tui_pass_poll(&tui, 0);
		if (tui.is_over)
			break;
		tui_draw(&tui);
		if (tui.shown) {
			key = tui_screen_key(
				&tui.screen, tui.next ? STEP_MS : -1);
			tui_press(&tui,
				tui_keys_press(tui.keys, key, &tui.screen,
					&tui.is_over));
			continue;
		}
		/* Before the first result, a key is kept for it, or quits. */
		key = terminal_key(STEP_MS);
		if (key == TERMINAL_CLOSED || key == 'q')
			tui.is_over = true;
		else
			tui_screen_hold_key(&tui.screen, key);
	}
	terminal_close();
	tui_screen_print_notes(&tui.screen);
	/*
	 * The user has quit: exit without waiting for the result that is still
	 * being computed.
	 */
	if (!tui.err && tui.next && !tui_result_is_ready(tui.next, 0))
		_exit(incomplete_is_reported() ? EXIT_INCOMPLETE
					       : EXIT_SUCCESS);
	tui_result_destroy(tui.next);
	tui_lines_deinit(&tui.lines);
	tui_page_deinit(&tui.page);
	tui_result_destroy(tui.shown);
	tui_query_deinit(&tui.query);
	strbuf_free(&tui.searched);
	tui_screen_deinit(&tui.screen);
	return tui.err;
}

/*
 * Returns a given option whose output is text only, which --tui cannot be
 * combined with, or NULL.
 */
static const char *text_only_option(const struct options *options)
{
	if (options->facts.shows_stats)
		return "--stats";
	if (options->check.is_requested)
		return "--check-unwinding";
	if (options->facts.shows_maps)
		return "--mmaps";
	if (options->facts.shows_tasks)
		return "--tasks";
	if (options->facts.shows_dsos)
		return "--dsos without names";
	if (options->facts.only_header)
		return "--header-only";
	return options->rows.separator ? "--field-separator" : NULL;
}

/*
 * Returns whether the recording is standard input, which cannot be read again
 * for each filter.
 */
static bool reads_standard_input(const struct options *options)
{
	array_each(&options->input.inputs.names, name)
		if (string_is(*name, "-"))
			return true;
	return false;
}

struct error *tui_decide(
	const struct options *options, bool *is_interactive_ret)
{
	_cleanup_error_ struct error *why = NULL;

	*is_interactive_ret = options->output.interactive == OPTION_ON;
	if (*is_interactive_ret) {
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
	/*
	 * Headers, and flat and folded call graphs, are text: the interactive
	 * view shows headers and call graphs in its own form.
	 */
	if (options->output.interactive == OPTION_OFF ||
		text_only_option(options) || reads_standard_input(options) ||
		options->facts.shows_header ||
		options->graph.style == OPTION_GRAPH_FLAT ||
		options->graph.style == OPTION_GRAPH_FOLDED ||
		!terminal_is_interactive())
		return NULL;
	why = terminal_check();
	*is_interactive_ret = !why;
	if (why)
		log_note("%s; printing the report as text", why->text);
	return NULL;
}

struct error *tui_code_run(const char *title, const char *text,
	const char *source, bool has_colour)
{
	_cleanup_strbuf_ struct strbuf shown = { 0 };
	struct tui_screen screen = { 0 };
	struct error *err = terminal_open(has_colour);

	if (err)
		return err;
	escape_text(&shown, title);
	tui_screen_begin(&screen);
	tui_show_code(&screen, shown.at, text, source);
	terminal_close();
	tui_screen_print_notes(&screen);
	tui_screen_deinit(&screen);
	return NULL;
}
