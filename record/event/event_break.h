/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoints of the CPU: mem:ADDRESS[/LENGTH][:ACCESS]. The address may be a
 * symbol of the command; of a position-independent one it is as linked, for
 * record/open/relocate.h to move.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_BREAK_H
#define DWELL_RECORD_EVENT_EVENT_BREAK_H

#include "record/event/event_syntax.h"
#include "record/event/selected.h"

/* PROGRAM is the command's file, NULL: there is none. */
struct error *event_break_apply(const char *source,
	const struct event_text *text, const char *program,
	struct selected *event) _must_check_;

#endif
