/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoint events of the CPU: mem:ADDRESS[/LENGTH][:ACCESS]. The address can
 * be a symbol of the command. In a position-independent command it is the
 * linked address, which record/open/relocate.h relocates.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_BREAK_H
#define DWELL_RECORD_EVENT_EVENT_BREAK_H

#include "record/event/event_syntax.h"
#include "record/event/selected.h"

/* Fills EVENT from TEXT. PROGRAM is the file of the command, or NULL. */
struct error *event_break_apply(const char *source,
	const struct event_text *text, const char *program,
	struct selected *event) _must_check_;

#endif
