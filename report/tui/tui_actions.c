/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions of keys; tui_filters.c has those that change the query. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/tui/tui_private.h"
#include "report/util/output.h"
#include "report/view/annotation_view.h"
#include "report/view/header.h"

static void report_unchanged_lines(struct tui *tui, bool has_turned)
{
	if (!tui->result->forest && !tui->has_first_result)
		tui_screen_message(
			&tui->screen, "call chains are still being computed");
	else if (!tui->result->forest)
		tui_screen_message(&tui->screen,
			"the recording has no call chains to expand");
	else if (!has_turned)
		tui_screen_message(
			&tui->screen, "this line has nothing to expand");
}

/* Writes COMPUTED as text to a new file PATH. An existing file is an error. */
static struct error *write_result_file(
	struct tui_result *computed, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	struct error *err;

	if (!file)
		return error_errno(errno, "%s", path);
	output_divert(file);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	bool had_colour = computed->options.output.has_colour;
	computed->options.output.has_colour = false;
	view_stdio.print(&computed->result, &text);
	computed->options.output.has_colour = had_colour;
	err = output_text(&text);
	output_divert(NULL);
	if (fclose(file) && !err)
		err = error_errno(errno, "write failed");
	if (err)
		unlink(path);
	return error_wrap(err, "%s", path);
}

static void write_tui_rows(struct tui *tui)
{
	_cleanup_error_ struct error *err = NULL;
	struct strbuf path = { 0 };

	strbuf_puts(&path, "dwell.report.txt");
	if (tui_prompt(&tui->screen, "write text to file: ", &path)) {
		err = write_result_file(tui->shown, path.at);
		tui_screen_message(&tui->screen, err ? "%s" : "wrote %s",
			err ? err->text : path.at);
	}
	strbuf_free(&path);
}

/* Identifies a function in any result of the same recording. */
struct wanted_function {
	uint32_t event;
	uint64_t start;
	bool is_guessed;
	char *dso; /* owned */
};

static const struct function *find_wanted_function(
	const struct functions *functions, const struct resolver *resolver,
	const struct wanted_function *wanted)
{
	array_each(&functions->at, function) {
		const struct location *at =
			resolver_location(resolver, function->location);

		if (function->start == wanted->start &&
			at->is_guessed == wanted->is_guessed &&
			string_is(resolver_dso_name(resolver, at->dso_name),
				wanted->dso))
			return function;
	}
	return NULL;
}

static void annotate_location(struct tui *tui, const struct location *location)
{
	const struct wanted_function wanted = { .event = tui->lines.hist->event,
		.start = location->start,
		.is_guessed = location->is_guessed,
		.dso = xstrdup(resolver_dso_name(
			tui->result->resolver, location->dso_name)) };
	struct tui_result *computed;
	struct tui_query query;

	/* Count the samples by address, like dwell annotate. */
	tui_query_copy(&tui->query, &query);
	options_count_places(&query.options);
	tui_query_sort(&query, query.options.rows.sort);
	query.options.output.has_colour = true;
	computed = tui_pass_wait(tui, &query, result_count);
	tui_query_deinit(&query);

	if (computed->err)
		tui_screen_message(&tui->screen, "%s", computed->err->text);
	else {
		size_t n = computed->result.inputs.events.n, i;
		_cleanup_free_ struct functions *by_event =
			xcalloc(n + 1, sizeof(*by_event));
		const struct functions *functions = &by_event[wanted.event];
		const struct function *function;
		functions_find(&computed->result, by_event);
		function = find_wanted_function(
			functions, computed->result.resolver, &wanted);
		if (function) {
			const struct annotation_config config =
				annotation_config(
					&computed->options.annotation);
			struct annotation_maker *annotator =
				annotation_maker_create(&computed->result);
			_cleanup_strbuf_ struct strbuf title = { 0 },
						       text = { 0 };
			_cleanup_strbuf_ struct strbuf source = { 0 };
			struct annotation annotation;
			annotation_make(annotator, functions, function, &config,
				&annotation);
			escape_text(&title, annotation.symbol);
			annotation_view_stdio.put(&annotation, true, &text);
			annotation_put_source_file(&annotation, &source);
			tui_show_code(
				&tui->screen, title.at, text.at, source.at);
			annotation_deinit(&annotation);
			annotation_maker_report_missing(annotator);
			annotation_maker_destroy(annotator);
		} else {
			tui_screen_message(
				&tui->screen, "no sample is in this function");
		}
		for (i = 0; i < n; i++)
			functions_deinit(&by_event[i]);
	}
	tui_result_destroy(computed);
	free(wanted.dso);
}

static void annotate_tui_line(struct tui *tui)
{
	uint32_t at = tui_cursor_location(tui);
	const struct location *location = at == HASH_NONE
		? NULL
		: resolver_location(tui->result->resolver, at);

	if (location && location->is_collapsed && !location->dso)
		tui_screen_message(&tui->screen,
			"this line is no code: the callers of these stacks are "
			"missing");
	else if (location && location->is_collapsed)
		tui_screen_message(&tui->screen,
			"this line is code of several functions: without "
			"--collapse-dso they have lines of their own");
	else if (location && location->symbol)
		annotate_location(tui, location);
	else if (location)
		tui_screen_message(&tui->screen,
			"this code has no symbol. For the missing symbols: "
			"dwell report --dsos");
	else
		tui_screen_message(&tui->screen, "this line is not a function");
}

void tui_press(struct tui *tui, enum tui_action action)
{
	struct tui_lines *lines = &tui->lines;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t line = lines->cursor, n = tui->result->hists.n;

	if (tui_keys_move(action, lines->height, &line, &tui->page.shift)) {
		tui_lines_go(lines, line);
		return;
	}
	switch (action) {
	case TUI_DO_SEARCH:
	case TUI_DO_FIND_NEXT:
	case TUI_DO_FIND_PREVIOUS:
		if (tui_prompt_search(&tui->screen, action, &tui->searched) &&
			!tui_lines_find(lines, tui->searched.at,
				action != TUI_DO_FIND_PREVIOUS))
			tui_screen_message(&tui->screen, "'%s' not found",
				tui->searched.at);
		break;
	case TUI_DO_HELP: tui_show_help(&tui->screen, tui->keys); break;
	case TUI_DO_NEXT_EVENT: tui_show_event(tui, (tui->hist + 1) % n); break;
	case TUI_DO_PREVIOUS_EVENT:
		tui_show_event(tui, (tui->hist + n - 1) % n);
		break;
	case TUI_DO_TOGGLE:
		report_unchanged_lines(tui, tui_lines_toggle(lines));
		break;
	case TUI_DO_TOGGLE_ROW:
		report_unchanged_lines(tui, tui_lines_toggle_all(lines));
		break;
	case TUI_DO_EXPAND_ALL:
		if (tui_lines_expand_all(lines))
			report_unchanged_lines(tui, true);
		else
			tui_screen_message(&tui->screen,
				"not enough memory to expand more rows");
		break;
	case TUI_DO_COLLAPSE_ALL: tui_lines_collapse_all(lines); break;
	case TUI_DO_HEADS:
		tui->page.hides_heads = !tui->page.hides_heads;
		break;
	case TUI_DO_HEADER:
		header_put_all(tui->result, &text);
		if (tui->shown->notes.n)
			strbuf_printf(
				&text, "# notes:\n%s", tui->shown->notes.at);
		tui_show_text(&tui->screen, "Recording", text.at);
		break;
	case TUI_DO_WRITE: write_tui_rows(tui); break;
	case TUI_DO_ANNOTATE: annotate_tui_line(tui); break;
	default: tui_change_query(tui, action); break;
	}
}
