/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the columns that a screen has room for, and sets the widths of these
 * columns.
 */
#include "config.h"

#include "report/rows/field.h"
#include "report/tui/tui_diff_private.h"
#include "report/tui/tui_page.h"

#define TUI_WIDTH_MIN 8u
#define TUI_WIDTH_NAME 13u   /* sufficient for most commands and libraries */
#define TUI_WIDTH_BETWEEN 2u /* blanks between columns */

/*
 * Minimum width of the last column: other columns are hidden before the last
 * column gets narrower.
 */
#define TUI_WIDTH_LAST 16u

/*
 * Returns the width that the last column gets by narrowing the other columns,
 * if the last column needs WIDTH.
 */
static size_t last_column_target(size_t width, size_t screen)
{
	return MIN(width, MAX(screen / 3, (size_t)TUI_WIDTH_LAST));
}

/* The key columns of a row, the last of which gets the rest of the line. */
struct name_columns {
	size_t *widths; /* widths of the columns; 0: hidden */
	const char *names[FIELDS_MAX];
	size_t n;
};

/* A function is the subject of a row, the other columns say where it is. */
static bool is_function_column(const char *name)
{
	return string_starts(name, "sym") || string_is(name, "waits_in");
}

/* Returns the width that ROOM leaves for the last column. */
static size_t last_column_room(const struct name_columns *columns, size_t room)
{
	size_t others = TUI_WIDTH_BETWEEN, i;

	for (i = 0; i + 1 < columns->n; i++)
		if (columns->widths[i])
			others += columns->widths[i] + TUI_WIDTH_BETWEEN;
	return room - MIN(room, others);
}

/*
 * Narrows the columns before the last column, the widest column first, until
 * ROOM leaves a width of WANTED for the last column. No column gets narrower
 * than LEAST. KEEPS_FUNCTIONS: functions keep their width.
 */
static void narrow_columns(const struct name_columns *columns, size_t room,
	size_t wanted, size_t least, bool keeps_functions)
{
	while (last_column_room(columns, room) < wanted) {
		size_t widest = columns->n, i;

		for (i = 0; i + 1 < columns->n; i++)
			if (columns->widths[i] > least &&
				!(keeps_functions &&
					is_function_column(
						columns->names[i])) &&
				(widest == columns->n ||
					columns->widths[i] >
						columns->widths[widest]))
				widest = i;
		if (widest == columns->n)
			break;
		columns->widths[widest]--;
	}
}

/*
 * Divides ROOM, the width that the numbers of a line leave, among COLUMNS. The
 * columns before the last one are narrowed, to a sixth of SCREEN at least,
 * until the last column has the width LAST, at which nothing of it is cut. They
 * are narrowed further only until it has the width WANTED. Returns the width of
 * the last column.
 */
static size_t fit_name_columns(const struct name_columns *columns, size_t room,
	size_t last, size_t wanted, size_t screen)
{
	narrow_columns(columns, room, last,
		MAX(screen / 6, (size_t)TUI_WIDTH_NAME), true);
	narrow_columns(columns, room, wanted, TUI_WIDTH_MIN, false);
	return last_column_room(columns, room);
}

/*
 * Returns the index of the column before the last column to hide next, or .n.
 */
static size_t find_optional_column(const struct name_columns *columns)
{
	/*
	 * Columns are hidden in this order; "" is any column except functions,
	 * which are always shown.
	 */
	static const char *const spare[] = { "comm", "dso", "" };
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(spare); k++)
		for (i = 0; i + 1 < columns->n; i++)
			if (columns->widths[i] &&
				string_starts(columns->names[i], spare[k]) &&
				!is_function_column(columns->names[i]))
				return i;
	return columns->n;
}

/*
 * Returns the index of the first of the key columns (names) at the end of the
 * row.
 */
static size_t first_name_column(const struct columns *columns)
{
	size_t first = columns->n;

	while (first && columns->at[first - 1].field->kind == FIELD_KEY)
		first--;
	return first;
}

/* Returns the key columns of COLUMNS. Their widths are those of PAGE. */
static struct name_columns page_name_columns(
	struct tui_page *page, const struct columns *columns)
{
	size_t first = first_name_column(columns), i;
	struct name_columns names = { .widths = page->shown + first,
		.n = columns->n - first };

	for (i = 0; i < names.n; i++)
		names.names[i] = columns->at[first + i].field->name;
	return names;
}

/*
 * Narrows the displayed key columns (names) of PAGE to the width SCREEN.
 * Returns the width left for the last column.
 */
static size_t fit_page_names(
	struct tui_page *page, const struct tui_lines *lines, size_t screen)
{
	const struct columns *columns = &lines->result->request.columns;
	struct name_columns names = page_name_columns(page, columns);
	size_t first = columns->n - names.n, last = columns->n - 1;
	size_t others = 0, i;

	for (i = 0; i < first; i++)
		if (page->shown[i])
			others += page->shown[i] + TUI_WIDTH_BETWEEN;
	for (i = first; i <= last; i++)
		if (page->shown[i])
			page->shown[i] = page->widths[i];
	return fit_name_columns(&names, screen - MIN(screen, others),
		page->widths[last],
		last_column_target(page->widths[last], screen), screen);
}

/*
 * Returns the index of the last displayed column of numbers, which precede
 * FIRST, or 0 if only column 0 is displayed.
 */
static size_t last_shown_number(const struct tui_page *page, size_t first)
{
	size_t i = first;

	while (i > 1 && !page->shown[i - 1])
		i--;
	return i > 1 ? i - 1 : 0;
}

/* Hides one more column. Returns false if no other column can be hidden. */
static bool hide_page_column(
	struct tui_page *page, const struct columns *columns)
{
	struct name_columns names = page_name_columns(page, columns);
	size_t first = columns->n - names.n, i = find_optional_column(&names);

	if (i == names.n && !last_shown_number(page, first))
		return false;
	page->shown[i < names.n ? first + i : last_shown_number(page, first)] =
		0;
	return true;
}

void tui_page_fit(
	struct tui_page *page, const struct tui_lines *lines, size_t screen)
{
	const struct columns *columns = &lines->result->request.columns;
	const struct options *options = lines->result->options;
	size_t first = first_name_column(columns), spare = columns->n, last;

	/* Off-CPU reports add a period column by default. */
	if (options->time.counted && !options->rows.shows_period &&
		!options->rows.fields)
		for (spare = 0; spare < columns->n &&
			!string_is(columns->at[spare].field->name, "period");)
			spare++;
	memcpy(page->shown, page->widths, sizeof(page->shown));
	if (first == columns->n)
		return;
	last = page->widths[columns->n - 1];
	if (spare < columns->n &&
		fit_page_names(page, lines, screen) <
			last_column_target(last, screen))
		page->shown[spare] = 0;
	while (fit_page_names(page, lines, screen) <
			MIN(last, TUI_WIDTH_LAST) &&
		hide_page_column(page, columns))
		;
	/* Scrolled names are shown in full width. */
	if (page->shift)
		memcpy(page->shown + first, page->widths + first,
			(columns->n - first) * sizeof(*page->shown));
}

static size_t first_key_column(const struct tui_diff *tui)
{
	return tui->columns.at.n - tui->diff.keys.n;
}

static struct name_columns diff_name_columns(struct tui_diff *tui)
{
	struct name_columns names = {
		.widths = tui->shown.at + first_key_column(tui),
		.n = tui->diff.keys.n,
	};
	size_t i;

	for (i = 0; i < names.n; i++)
		names.names[i] = tui->diff.keys.at[i].name;
	return names;
}

/*
 * Narrows the displayed key columns (names) of TUI to the width SCREEN, until
 * the last column has the width WANTED. Returns the width left for the last
 * column.
 */
static size_t fit_diff_names(struct tui_diff *tui, size_t screen, size_t wanted)
{
	struct name_columns names = diff_name_columns(tui);
	size_t first = first_key_column(tui), others = 0, i;

	for (i = 0; i < first; i++)
		if (tui->shown.at[i])
			others += TUI_WIDTH_BETWEEN + tui->shown.at[i];
	for (i = first; i < tui->shown.n; i++)
		if (tui->shown.at[i])
			tui->shown.at[i] = tui->widths.at[i];
	return fit_name_columns(&names, screen - MIN(screen, others),
		tui->widths.at[tui->widths.n - 1], wanted, screen);
}

/*
 * Hides the change column of the last recording, except of the recording by
 * whose change the rows are sorted. Returns false if no such column is
 * displayed.
 */
static bool hide_last_change(struct tui_diff *tui)
{
	size_t i;

	for (i = tui->columns.at.n; i-- > 0;) {
		const struct diff_column *column = &tui->columns.at.at[i];

		if (column->kind != DIFF_COMPUTED || !tui->shown.at[i] ||
			column->number == tui->diff.style.order)
			continue;
		tui->shown.at[i] = 0;
		return true;
	}
	return false;
}

static bool hide_diff_key(struct tui_diff *tui)
{
	struct name_columns names = diff_name_columns(tui);
	size_t i = find_optional_column(&names);

	if (i < names.n)
		names.widths[i] = 0;
	return i < names.n;
}

void tui_diff_fit(struct tui_diff *tui)
{
	/* Kinds of columns, in the order in which they are hidden. */
	static const enum diff_column_kind spare[] = { DIFF_ERROR, DIFF_VERDICT,
		DIFF_FORMULA, DIFF_PERIODS, DIFF_SAMPLES };
	size_t screen = tui->screen.grid.columns, i, column;
	size_t last = tui->widths.at[tui->widths.n - 1];
	size_t wanted = last_column_target(last, screen);

	array_clear(&tui->shown);
	array_each(&tui->widths, width)
		*array_push(&tui->shown) = *width;
	for (i = 0; i < ARRAY_SIZE(spare) &&
		fit_diff_names(tui, screen, wanted) < wanted;
		i++) {
		for (column = 0; column < tui->columns.at.n; column++)
			if (tui->columns.at.at[column].kind == spare[i])
				tui->shown.at[column] = 0;
	}
	while (fit_diff_names(tui, screen, wanted) < wanted &&
		hide_last_change(tui))
		;
	while (fit_diff_names(tui, screen, wanted) <
			MIN(last, TUI_WIDTH_LAST) &&
		hide_diff_key(tui))
		;
	/* Scrolled names are shown in full width. */
	for (i = first_key_column(tui); tui->shift && i < tui->shown.n; i++)
		tui->shown.at[i] = tui->widths.at[i];
}
