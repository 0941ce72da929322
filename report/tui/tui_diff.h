/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interactive view of recordings beside each other, on the whole terminal:
 * rows, what became of them, and what of it is noise.
 */
#ifndef DWELL_REPORT_TUI_TUI_DIFF_H
#define DWELL_REPORT_TUI_TUI_DIFF_H

#include "report/options/options.h"

/* Has OPTIONS, which are borrowed, compared and shown until the user leaves. */
struct error *tui_diff_run(const struct options *options) _must_check_;

#endif
