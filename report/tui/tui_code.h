/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotated code on the whole terminal, with nothing else beside it. How it was
 * annotated is no matter of it.
 */
#ifndef DWELL_REPORT_TUI_TUI_CODE_H
#define DWELL_REPORT_TUI_TUI_CODE_H

#include "common/util/error.h"

/* Shows TEXT, as tui_show_code() takes it, under TITLE until the user leaves. */
struct error *tui_code_run(const char *title, const char *text,
	bool has_colour) _must_check_;

#endif
