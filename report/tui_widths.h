/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How wide the columns of names are on a screen that is too narrow for all of
 * them. What stands in them is no matter of it.
 */
#ifndef DWELL_TUI_WIDTHS_H
#define DWELL_TUI_WIDTHS_H

#include "common/base.h"

#define TUI_WIDTH_LEAST 8u
#define TUI_WIDTH_BETWEEN 2u /* columns */

/*
 * Has the N columns of WIDTHS, each with blanks behind it, give way until they
 * fit ROOM: the widest one first, and none to less than TUI_WIDTH_LEAST. False:
 * they don't fit.
 */
bool tui_widths_fit(size_t *widths, size_t n, size_t room);

#endif
