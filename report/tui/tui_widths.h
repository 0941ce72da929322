/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How wide the columns of names are on a screen that is too narrow for all of
 * them. What stands in them is no matter of it.
 */
#ifndef DWELL_REPORT_TUI_TUI_WIDTHS_H
#define DWELL_REPORT_TUI_TUI_WIDTHS_H

#include "common/util/base.h"

#define TUI_WIDTH_LEAST 8u
#define TUI_WIDTH_BETWEEN 2u /* columns */

/* Rather than have less, the last column has others left out. */
#define TUI_WIDTH_LAST 16u

/* What others give way for to the last column, which is WIDTH wide, on SCREEN. */
static inline size_t tui_widths_wanted(size_t width, size_t screen)
{
	return MIN(width, MAX(screen / 3, (size_t)TUI_WIDTH_LAST));
}

/*
 * Has the N columns of WIDTHS, each with blanks before it, give way to the last
 * one until that has WANTED of ROOM: the widest one first, and none to less than
 * TUI_WIDTH_LEAST. What it has then. Those of no width aren't there.
 */
size_t tui_widths_fit(size_t *widths, size_t n, size_t room, size_t wanted);

/*
 * Which of the N columns before the last one, called NAMES, is to be left out next;
 * N: none is.
 */
size_t tui_widths_spare(
	const size_t *widths, const char *const *names, size_t n);

#endif
