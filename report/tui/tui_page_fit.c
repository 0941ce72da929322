/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns of rows there is room for, and how wide they are. */
#include "config.h"

#include "report/tui/tui_page.h"
#include "report/tui/tui_widths.h"

/* The first of the names that nothing but names stands behind. */
static size_t first_name(const struct columns *columns)
{
	size_t first = columns->n;

	while (first && columns->at[first - 1].field->kind == FIELD_KEY)
		first--;
	return first;
}

/* Times off the CPU have a number that nobody asked for. */
static size_t spare_of(const struct tui_lines *lines)
{
	const struct options *options = lines->result->options;
	const struct columns *columns = &lines->result->request.columns;
	size_t i;

	if (!options->time || options->shows_period || options->fields)
		return COLUMNS_MAX;
	for (i = 0; i < columns->n; i++)
		if (string_is(columns->at[i].field->name, "period"))
			return i;
	return COLUMNS_MAX;
}

/*
 * What the last column, mostly the function, has of SCREEN where other names give
 * way to it.
 */
static size_t fit_names(
	struct tui_page *page, const struct tui_lines *lines, size_t screen)
{
	const struct columns *columns = &lines->result->request.columns;
	size_t first = first_name(columns), last = columns->n - 1;
	size_t others = 0, i;

	for (i = 0; i < first; i++)
		if (page->shown[i])
			others += page->shown[i] + TUI_WIDTH_BETWEEN;
	for (i = first; i <= last; i++)
		if (page->shown[i])
			page->shown[i] = page->widths[i];
	return tui_widths_fit(page->shown + first, columns->n - first,
		screen - MIN(screen, others),
		tui_widths_wanted(page->widths[last], screen));
}

/* The last number that is shown, but for the first one; 0: there is none. */
static size_t spare_number(const struct tui_page *page, size_t first)
{
	size_t i = first;

	while (i > 1 && !page->shown[i - 1])
		i--;
	return i > 1 ? i - 1 : 0;
}

/* One more column; false: none can be done without. */
static bool leave_out(struct tui_page *page, const struct columns *columns)
{
	size_t first = first_name(columns), n = columns->n - 1 - first, i;
	const char *names[COLUMNS_MAX];

	for (i = 0; i < n; i++)
		names[i] = columns->at[first + i].field->name;
	i = tui_widths_spare(page->shown + first, names, n);
	if (i == n && !spare_number(page, first))
		return false;
	page->shown[i < n ? first + i : spare_number(page, first)] = 0;
	return true;
}

void tui_page_fit(
	struct tui_page *page, const struct tui_lines *lines, size_t screen)
{
	const struct columns *columns = &lines->result->request.columns;
	size_t first = first_name(columns), spare = spare_of(lines);
	size_t last;

	memcpy(page->shown, page->widths, sizeof(page->shown));
	if (first == columns->n)
		return;
	last = page->widths[columns->n - 1];
	if (spare < columns->n &&
		fit_names(page, lines, screen) <
			tui_widths_wanted(last, screen))
		page->shown[spare] = 0;
	while (fit_names(page, lines, screen) < MIN(last, TUI_WIDTH_LAST) &&
		leave_out(page, columns))
		;
	/* Who has moved names to the left wants to see all of them. */
	if (page->shift)
		memcpy(page->shown + first, page->widths + first,
			(columns->n - first) * sizeof(*page->shown));
}
