/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns of a comparison there is room for, and how wide they are. */
#include "config.h"

#include "report/tui_diff_private.h"
#include "report/tui_widths.h"

static size_t first_key(const struct tui_diff *tui)
{
	return tui->columns.at.n - tui->diff.keys.n;
}

/*
 * Whether the last column, mostly the function, has a third of SCREEN, or as much as
 * it needs; other names give way to it.
 */
static bool fits(struct tui_diff *tui, size_t screen)
{
	size_t first = first_key(tui), last = tui->columns.at.n - 1, i;
	size_t others = TUI_WIDTH_BETWEEN +
		MIN(tui->widths.at[last], screen / 3);

	for (i = 0; i < first; i++)
		if (tui->shown.at[i])
			others += TUI_WIDTH_BETWEEN + tui->shown.at[i];
	for (i = first; i <= last; i++)
		tui->shown.at[i] = tui->widths.at[i];
	return others <= screen &&
		tui_widths_fit(tui->shown.at + first, last - first,
			screen - others);
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

void tui_diff_fit(struct tui_diff *tui)
{
	/* What can be done without comes first. */
	static const enum diff_column_kind spare[] = { DIFF_ERROR,
		DIFF_VERDICT, DIFF_FORMULA, DIFF_PERIODS, DIFF_SAMPLES };
	size_t screen = tui->screen.grid.columns, i;

	array_clear(&tui->shown);
	array_each(&tui->widths, width)
		*array_push(&tui->shown) = *width;
	for (i = 0; !fits(tui, screen) && i < ARRAY_SIZE(spare); i++)
		hide(tui, spare[i]);
	while (!fits(tui, screen) && hide_last(tui))
		;
	/* Who has moved names to the left wants to see all of them. */
	for (i = first_key(tui); tui->shift && i < tui->shown.n; i++)
		tui->shown.at[i] = tui->widths.at[i];
}
