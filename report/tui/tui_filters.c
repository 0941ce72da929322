/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters: of what the cursor is on where its row tells, otherwise of what the
 * user chooses from all that there is.
 */
#include "config.h"

#include "common/util/escape.h"
#include "report/tui/tui_private.h"
#include "report/view/stdio_cell.h"

static void push(struct tui *tui, enum tui_filter_kind kind, const char *value)
{
	tui_wish_push(&tui->wish, kind, value);
	tui_change(tui);
}

/* The text of a key without the blanks that align it. */
static void put_key(const struct result *result, const struct row *row,
	const struct column *column, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	hist_key_text(row, column, &result->names, &text);
	strbuf_puts(out, text.at + strspn(text.at, " "));
}

/* The keys of all rows, with their shares; what is chosen is the first one. */
static void fill_menu(const struct result *result, struct tui_menu *menu)
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
		put_key(result, row, &columns->at[first], &value);
		tui_menu_add(menu, value.at, text.at);
	}
}

/* KEYS are of -s, the first one is what the filter is of. */
static void choose(struct tui *tui, enum tui_filter_kind kind,
	const char *title, const char *keys)
{
	struct tui_menu menu = { .title = title };
	struct tui_answer *answer;
	struct tui_wish wish;
	const char *value = NULL;

	tui_wish_copy(&tui->wish, &wish);
	tui_wish_sort(&wish, keys);
	wish.options.fields = NULL;
	wish.options.children = CHOICE_OFF;
	wish.options.graph.style = GRAPH_NONE;
	answer = tui_ask(tui, &wish, result_make);
	if (answer->err) {
		tui_say(&tui->screen, "%s", answer->err->text);
	} else if (answer->result.hists.n) {
		fill_menu(&answer->result, &menu);
		value = tui_menu_run(&tui->screen, &menu);
	}
	if (value)
		push(tui, kind, value);
	tui_answer_destroy(answer);
	tui_wish_deinit(&wish);
	tui_menu_deinit(&menu);
}

static void filter_by_column(struct tui *tui, enum tui_filter_kind kind,
	const char *field, const char *title, const char *keys)
{
	const struct column *column = tui_column(tui->result, field);
	const struct row *row = tui_row(tui);
	_cleanup_strbuf_ struct strbuf value = { 0 };

	if (!row || !column || row->is_rest) {
		choose(tui, kind, title, keys);
		return;
	}
	put_key(tui->result, row, column, &value);
	push(tui, kind, value.at);
}

void tui_filter_comm(struct tui *tui)
{
	filter_by_column(
		tui, TUI_FILTER_COMM, "comm", "Which command?", "comm");
}

void tui_filter_thread(struct tui *tui)
{
	filter_by_column(
		tui, TUI_FILTER_THREAD, "tid", "Which thread?", "tid,comm");
}

void tui_filter_dso(struct tui *tui)
{
	struct resolver *resolver = tui->result->resolver;
	uint32_t location = tui_location(tui);

	if (location == HASH_NONE)
		choose(tui, TUI_FILTER_DSO, "Which program or library?", "dso");
	else
		push(tui, TUI_FILTER_DSO,
			resolver_dso_name(resolver,
				resolver_location(resolver, location)
					->dso_name));
}

void tui_filter_kernel(struct tui *tui)
{
	struct resolver *resolver = tui->result->resolver;
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++) {
		const struct location *at = resolver_location(resolver, i);

		if (!at->dso || !at->dso->is_kernel)
			continue;
		push(tui, TUI_FILTER_DSO,
			resolver_dso_name(resolver, at->dso_name));
		return;
	}
	tui_say(&tui->screen, "no sample is in the kernel");
}

void tui_filter_name(struct tui *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (tui_prompt(&tui->screen, "rows with this in their function: ", &text))
		push(tui, TUI_FILTER_NAME, text.at);
}

void tui_filter_back(struct tui *tui)
{
	if (tui_wish_pop(&tui->wish))
		tui_change(tui);
	else
		tui_say(&tui->screen, "there is no filter to take back; q leaves");
}
