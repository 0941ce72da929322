/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tui_widths.h"

static size_t widest_of(const size_t *widths, size_t n)
{
	size_t widest = 0, i;

	for (i = 1; i < n; i++)
		if (widths[i] > widths[widest])
			widest = i;
	return widest;
}

bool tui_widths_fit(size_t *widths, size_t n, size_t room)
{
	size_t all = n * TUI_WIDTH_BETWEEN, i;

	for (i = 0; i < n; i++)
		all += widths[i];
	for (; all > room; all--) {
		size_t widest = n ? widest_of(widths, n) : 0;

		if (!n || widths[widest] <= TUI_WIDTH_LEAST)
			return false;
		widths[widest]--;
	}
	return true;
}
