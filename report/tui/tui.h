/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interactive views. Each function below uses the whole terminal until the
 * user quits.
 */
#ifndef DWELL_REPORT_TUI_TUI_H
#define DWELL_REPORT_TUI_TUI_H

#include "report/result/result.h"

/*
 * Sets IS_INTERACTIVE_RET to whether OPTIONS select an interactive view that
 * the terminal can show. Returns an error if --tui was given and is not
 * possible. Without --tui, an unsuitable terminal is reported in a message.
 */
struct error *tui_decide(
	const struct options *options, bool *is_interactive_ret) _must_check_;

/* Shows the interactive view of a report for OPTIONS, which are borrowed. */
struct error *tui_run(const struct options *options) _must_check_;
/*
 * Shows the interactive view of a comparison (dwell diff) for OPTIONS, which
 * are borrowed.
 */
struct error *tui_diff_run(const struct options *options) _must_check_;
/* Shows annotated code: TEXT and SOURCE, as tui_show_code(), with TITLE. */
struct error *tui_code_run(const char *title, const char *text,
	const char *source, bool has_colour) _must_check_;

#endif
