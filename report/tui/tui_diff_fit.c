/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns of a comparison there is room for, and how wide they are. */
#include "config.h"

#include "report/rows/field.h"
#include "report/tui/tui_diff_private.h"
#include "report/tui/tui_widths.h"

static size_t first_key(const struct tui_diff *tui)
{
	return tui->columns.at.n - tui->diff.keys.n;
}

/*
 * What the last column, mostly the function, has of SCREEN where other names give
 * way to it.
 */
static size_t fit_names(struct tui_diff *tui, size_t screen, size_t wanted)
{
	size_t first = first_key(tui), others = 0, i;

	for (i = 0; i < first; i++)
		if (tui->shown.at[i])
			others += TUI_WIDTH_BETWEEN + tui->shown.at[i];
	for (i = first; i < tui->shown.n; i++)
		if (tui->shown.at[i])
			tui->shown.at[i] = tui->widths.at[i];
	return tui_widths_fit(tui->shown.at + first, tui->diff.keys.n,
		screen - MIN(screen, others), wanted);
}

static void hide(struct tui_diff *tui, enum diff_column_kind kind)
{
	size_t i;

	for (i = 0; i < tui->columns.at.n; i++)
		if (tui->columns.at.at[i].kind == kind)
			tui->shown.at[i] = 0;
}

/* What became of rows in the last recording that doesn't decide about their order. */
static bool hide_last(struct tui_diff *tui)
{
	size_t i;

	for (i = tui->columns.at.n; i-- > 0;) {
		const struct diff_column *column = &tui->columns.at.at[i];

		if (column->kind != DIFF_COMPUTED || !tui->shown.at[i] ||
			column->number == tui->diff.style->order)
			continue;
		tui->shown.at[i] = 0;
		return true;
	}
	return false;
}

static bool hide_name(struct tui_diff *tui)
{
	size_t first = first_key(tui), n = tui->diff.keys.n - 1, i;
	const char *names[FIELDS_MAX];

	for (i = 0; i < n; i++)
		names[i] = tui->diff.keys.at[i].name;
	i = tui_widths_spare(tui->shown.at + first, names, n);
	if (i < n)
		tui->shown.at[first + i] = 0;
	return i < n;
}

void tui_diff_fit(struct tui_diff *tui)
{
	/* What can be done without comes first. */
	static const enum diff_column_kind spare[] = { DIFF_ERROR,
		DIFF_VERDICT, DIFF_FORMULA, DIFF_PERIODS, DIFF_SAMPLES };
	size_t screen = tui->screen.grid.columns, i;
	size_t last = tui->widths.at[tui->widths.n - 1];
	size_t wanted = tui_widths_wanted(last, screen);

	array_clear(&tui->shown);
	array_each(&tui->widths, width)
		*array_push(&tui->shown) = *width;
	for (i = 0; i < ARRAY_SIZE(spare) &&
		fit_names(tui, screen, wanted) < wanted;
		i++)
		hide(tui, spare[i]);
	while (fit_names(tui, screen, wanted) < wanted && hide_last(tui))
		;
	while (fit_names(tui, screen, wanted) < MIN(last, TUI_WIDTH_LAST) &&
		hide_name(tui))
		;
	/* Who has moved names to the left wants to see all of them. */
	for (i = first_key(tui); tui->shift && i < tui->shown.n; i++)
		tui->shown.at[i] = tui->widths.at[i];
}
