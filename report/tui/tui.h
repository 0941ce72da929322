/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interactive view of a report, on the whole terminal: its rows, to go
 * through and unfold, until the user leaves.
 */
#ifndef DWELL_REPORT_TUI_TUI_H
#define DWELL_REPORT_TUI_TUI_H

#include "report/result/result.h"

/*
 * Whether OPTIONS want it and the terminal can show it, to RET. That --tui was
 * given in vain is an error; without it that is told, where somebody sits there
 * who would wonder.
 */
struct error *tui_choose(
	const struct options *options, bool *is_wanted_ret) _must_check_;

/* Has OPTIONS, which are borrowed, counted and shown. */
struct error *tui_run(const struct options *options) _must_check_;

#endif
