/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Actions of keys that change filters, sort keys and other options of the
 * query. */
#include "config.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "report/options/options_shared.h"
#include "report/rows/fields.h"
#include "report/tui/tui_private.h"
#include "report/view/stdio_cell.h"

static void push_tui_filter(
	struct tui *tui, enum tui_filter_kind kind, const char *value)
{
	tui_query_push(&tui->query, kind, value);
	tui_pass_update(tui);
}

/*
 * Appends the key of ROW in COLUMN as text, without the blanks that align the
 * text.
 */
static void put_row_key(const struct result *result, const struct row *row,
	const struct column *column, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	hist_key_text(row, column, &result->names, &text);
	strbuf_puts(out, text.at + strspn(text.at, " "));
}

/*
 * Adds all rows of RESULT to MENU: the text is the percentage and the keys of a
 * row, the value is the first key.
 */
static void fill_key_menu(const struct result *result, struct tui_menu *menu)
{
	const struct hist *hist = result->hists.at;
	const struct columns *columns = &result->request.columns;
	size_t first = 0, i;

	while (columns->at[first].field->kind != FIELD_KEY)
		first++;

	array_each(&hist->rows, row) {
		_cleanup_strbuf_ struct strbuf value = { 0 }, text = { 0 };

		if (row->is_hidden || row->is_rest)
			continue;
		strbuf_printf(&text, "%6.2f%%  ",
			stdio_cell_share(hist, row, columns->at[0].field, 0));
		for (i = first; i < columns->n; i++) {
			stdio_cell_text(result, row, i, &text);
			strbuf_puts(&text, "  ");
		}
		put_row_key(result, row, &columns->at[first], &value);
		tui_menu_add(menu, value.at, text.at);
	}
}

/*
 * Shows a menu of the rows with sort KEYS, and adds a filter of KIND: the first
 * key of the chosen row.
 */
static void choose_filter_value(struct tui *tui, enum tui_filter_kind kind,
	const char *title, const char *keys)
{
	struct tui_menu menu = { .title = title };
	struct tui_result *computed;
	struct tui_query query;
	const char *value = NULL;

	tui_query_copy(&tui->query, &query);
	tui_query_sort(&query, keys);
	query.options.rows.fields = NULL;
	query.options.stacks.inline_self = OPTION_OFF;
	query.options.rows.children = OPTION_OFF;
	query.options.graph.style = OPTION_GRAPH_NONE;
	computed = tui_pass_wait(tui, &query, result_make);
	if (computed->err) {
		tui_screen_message(&tui->screen, "%s", computed->err->text);
	} else if (computed->result.hists.n) {
		fill_key_menu(&computed->result, &menu);
		value = tui_menu_run(&tui->screen, &menu);
	}
	if (value)
		push_tui_filter(tui, kind, value);
	tui_result_destroy(computed);
	tui_query_deinit(&query);
	tui_menu_deinit(&menu);
}

static void filter_by_row_key(struct tui *tui, enum tui_filter_kind kind,
	const char *field, const char *title, const char *keys)
{
	const struct column *column = tui_find_column(tui->result, field);
	const struct row *row = tui_cursor_row(tui);
	_cleanup_strbuf_ struct strbuf value = { 0 };

	if (!row || !column || row->is_rest) {
		choose_filter_value(tui, kind, title, keys);
		return;
	}
	put_row_key(tui->result, row, column, &value);
	push_tui_filter(tui, kind, value.at);
}

static void filter_by_dso(struct tui *tui)
{
	struct resolver *resolver = tui->result->resolver;
	uint32_t location = tui_cursor_location(tui);

	if (location == HASH_NONE)
		choose_filter_value(tui, TUI_FILTER_DSO,
			"Which program or library?", "dso");
	else
		push_tui_filter(tui, TUI_FILTER_DSO,
			resolver_dso_name(resolver,
				resolver_location(resolver, location)
					->dso_name));
}

static void filter_by_kernel(struct tui *tui)
{
	struct resolver *resolver = tui->result->resolver;
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++) {
		const struct location *at = resolver_location(resolver, i);

		if (!at->dso || !at->dso->is_kernel)
			continue;
		push_tui_filter(tui, TUI_FILTER_DSO,
			resolver_dso_name(resolver, at->dso_name));
		return;
	}
	tui_screen_message(&tui->screen, "no samples in the kernel");
}

static const char *const usual_sort_keys[] = { "comm,dso,sym", "sym", "dso,sym",
	"dso", "comm", "comm,dso", "tid,comm", "pid,comm" };

static const char *const off_cpu_sort_keys[] = { "state,comm,dso,sym",
	"state,comm,waits_in", "waits_in" };

static void choose_sort_keys(struct tui *tui)
{
	struct tui_menu menu = { .title = "Group rows by" };
	const char *keys;
	const struct field *field;
	size_t i;

	for (i = 0; tui->result->options->time.counted &&
		i < ARRAY_SIZE(off_cpu_sort_keys);
		i++)
		tui_menu_add(&menu, off_cpu_sort_keys[i], off_cpu_sort_keys[i]);
	for (i = 0; i < ARRAY_SIZE(usual_sort_keys); i++)
		tui_menu_add(&menu, usual_sort_keys[i], usual_sort_keys[i]);
	for (i = 0; (field = field_at(i)); i++) {
		_cleanup_strbuf_ struct strbuf text = { 0 };
		bool is_recorded = false;

		array_each(&tui->result->inputs.at, input)
			is_recorded |= field_is_recorded(field, input->reader);
		if (field->kind != FIELD_KEY || !is_recorded)
			continue;
		strbuf_printf(&text, "%-18s %s", field->name,
			field->header + strspn(field->header, " "));
		tui_menu_add(&menu, field->name, text.at);
	}
	keys = tui_menu_run(&tui->screen, &menu);
	if (keys) {
		tui_query_sort(&tui->query, keys);
		tui_pass_update(tui);
	}
	tui_menu_deinit(&menu);
}

static void toggle_waits(struct tui *tui)
{
	enum offcpu_counted initial = tui->options->time.counted;
	struct options *options = &tui->query.options;

	if (!result_has_waits(tui->result)) {
		tui_screen_message(&tui->screen,
			"no waits were recorded; 'dwell record --off-cpu' "
			"records them");
		return;
	}
	if (options->time.counted)
		options->time.counted = OFFCPU_TIME_RECORDED;
	else
		options->time.counted = initial ?: OFFCPU_TIME_OFF_CPU;
	/* Keys of times are unknown without times. */
	tui_query_sort(&tui->query,
		options->time.counted == initial ? tui->options->rows.sort
						 : NULL);
	tui_pass_update(tui);
}

void tui_change_query(struct tui *tui, enum tui_action action)
{
	const struct hist_request *request = &tui->result->request;
	struct options *options = &tui->query.options;
	_cleanup_error_ struct error *err = NULL;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	switch (action) {
	case TUI_DO_FILTER_COMM:
		filter_by_row_key(
			tui, TUI_FILTER_COMM, "comm", "Which command?", "comm");
		return;
	case TUI_DO_FILTER_THREAD:
		filter_by_row_key(tui, TUI_FILTER_THREAD, "tid",
			"Which thread?", "tid,comm");
		return;
	case TUI_DO_FILTER_DSO: filter_by_dso(tui); return;
	case TUI_DO_FILTER_KERNEL: filter_by_kernel(tui); return;
	case TUI_DO_FILTER_TIME: tui_filter_time(tui); return;
	case TUI_DO_FILTER_NAME:
		if (tui_prompt(&tui->screen, "function contains: ", &text))
			push_tui_filter(tui, TUI_FILTER_NAME, text.at);
		return;
	case TUI_DO_CANCEL:
	case TUI_DO_UNFILTER:
		if (action == TUI_DO_CANCEL && tui->next &&
			tui->has_first_result)
			tui_result_cancel(tui->next);
		else if (tui_query_pop(&tui->query))
			tui_pass_update(tui);
		else
			tui_screen_message(&tui->screen,
				"no filter to remove; press q to quit");
		return;
	case TUI_DO_CHOOSE_KEYS: choose_sort_keys(tui); return;
	case TUI_DO_WAITS: toggle_waits(tui); return;
	case TUI_DO_TYPE_KEYS:
		if (!tui_prompt(&tui->screen, "sort keys (as for -s): ", &text))
			return;
		tui_query_sort(&tui->query, text.at);
		break;
	case TUI_DO_CHILDREN:
		options->rows.children =
			request->has_children ? OPTION_OFF : OPTION_ON;
		break;
	case TUI_DO_INVERT:
		options->stacks.is_inverted = false;
		options->stacks.callers_first =
			request->is_inverted ? OPTION_OFF : OPTION_ON;
		break;
	case TUI_DO_RELATIVE:
		options->rows.is_relative = !options->rows.is_relative;
		break;
	case TUI_DO_LIMIT:
		if (!tui_prompt(
			    &tui->screen, "hide rows below (percent): ", &text))
			return;
		err = options_read_percent(
			"limit", text.at, &options->rows.percent_limit);
		if (err) {
			tui_screen_message(&tui->screen, "%s", err->text);
			return;
		}
		break;
	default: return;
	}
	tui_pass_update(tui);
}
