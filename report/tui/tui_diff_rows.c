/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a comparison that are shown: filters, order and widths. */
#include "config.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/tui/tui_cursor.h"
#include "report/tui/tui_diff_private.h"

static bool matches_diff_filter(const struct tui_diff *tui,
	const struct diff_row *row, const struct tui_diff_filter *filter)
{
	size_t i;

	if (filter->key != TUI_DIFF_ANY_KEY)
		return string_is(diff_key_text(&tui->diff, row, filter->key),
			filter->text);
	for (i = 0; i < tui->diff.keys.n; i++)
		if (tui_cursor_match(
			    diff_key_text(&tui->diff, row, i), filter->text))
			return true;
	return false;
}

static bool matches_diff_filters(
	const struct tui_diff *tui, const struct diff_row *row)
{
	array_each(&tui->filters, filter)
		if (!matches_diff_filter(tui, row, filter))
			return false;
	return true;
}

static void widen_diff_column(
	struct tui_diff *tui, size_t column, const char *text)
{
	tui->widths.at[column] = MAX(tui->widths.at[column], grid_width(text));
}

static void find_diff_widths(struct tui_diff *tui)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i;

	array_free(&tui->columns.at);
	diff_columns_make(&tui->diff, &tui->columns);
	array_clear(&tui->widths);
	for (i = 0; i < tui->columns.at.n; i++) {
		array_push(&tui->widths);
		strbuf_clear(&text);
		diff_column_head(&tui->diff, &tui->columns.at.at[i], &text);
		widen_diff_column(tui, i, text.at);
		array_each(&tui->rows, row) {
			strbuf_clear(&text);
			strbuf_puts(&text, "");
			diff_cell_put(&tui->diff, tui_diff_event(tui), *row,
				&tui->columns.at.at[i], &text);
			widen_diff_column(tui, i, text.at);
		}
	}
}

/* The cursor stays on its row if the row is still shown. */
void tui_diff_update_rows(struct tui_diff *tui)
{
	uint32_t number =
		tui->rows.n ? tui->rows.at[tui->cursor]->number : UINT32_MAX;
	size_t cursor = 0;

	array_clear(&tui->rows);
	array_each(&tui_diff_event(tui)->rows, row) {
		if (!matches_diff_filters(tui, row))
			continue;
		if (row->number == number)
			cursor = tui->rows.n;
		*array_push(&tui->rows) = row;
	}
	find_diff_widths(tui);
	tui_cursor_scroll(tui->rows.n, tui_diff_height(tui), cursor,
		&tui->cursor, &tui->top);
}

void tui_diff_sort(struct tui_diff *tui)
{
	diff_compute(&tui->diff);
	diff_sort(&tui->diff);
	array_clear(&tui->rows);
	tui->cursor = tui->top = 0;
	tui_diff_update_rows(tui);
}

void tui_diff_push_filter(
	struct tui_diff *tui, const char *name, size_t key, const char *text)
{
	*array_push(&tui->filters) = (struct tui_diff_filter){
		.name = name, .key = key, .text = xstrdup(text)
	};
	tui_diff_update_rows(tui);
}

bool tui_diff_pop_filter(struct tui_diff *tui)
{
	if (!tui->filters.n)
		return false;
	free(tui->filters.at[--tui->filters.n].text);
	tui_diff_update_rows(tui);
	return true;
}

void tui_diff_put_keys(const struct tui_diff *tui, const struct diff_row *row,
	struct strbuf *out)
{
	size_t i;

	for (i = 0; i < tui->diff.keys.n; i++) {
		strbuf_puts(out, i ? "  " : "");
		escape_text(out, diff_key_text(&tui->diff, row, i));
	}
}

void tui_diff_put_crumbs(const struct tui_diff *tui, struct strbuf *out)
{
	const char *mark = tui->screen.grid.has_utf8 ? "\u203a" : ">";

	array_each(&tui->filters, filter) {
		strbuf_printf(out, " %s %s ", mark, filter->name);
		escape_text(out, filter->text);
	}
}
