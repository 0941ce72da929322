/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui/tui_widths.h"

static size_t widest_of(const size_t *widths, size_t n)
{
	size_t widest = 0, i;

	for (i = 1; i < n; i++)
		if (widths[i] > widths[widest])
			widest = i;
	return widest;
}

size_t tui_widths_fit(size_t *widths, size_t n, size_t room, size_t wanted)
{
	size_t others = TUI_WIDTH_BETWEEN, widest, i;

	for (i = 0; i + 1 < n; i++)
		if (widths[i])
			others += widths[i] + TUI_WIDTH_BETWEEN;
	for (; n > 1 && others + wanted > room; others--) {
		widest = widest_of(widths, n - 1);
		if (widths[widest] <= TUI_WIDTH_LEAST)
			break;
		widths[widest]--;
	}
	return room - MIN(room, others);
}

size_t tui_widths_spare(
	const size_t *widths, const char *const *names, size_t n)
{
	/* What can be done without comes first; functions can't. */
	static const char *const spare[] = { "comm", "dso", "" };
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(spare); k++)
		for (i = 0; i < n; i++)
			if (widths[i] && string_starts(names[i], spare[k]) &&
				!string_starts(names[i], "sym"))
				return i;
	return n;
}
