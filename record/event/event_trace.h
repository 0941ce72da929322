/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds tracepoint events: "sched:sched_switch", and globs in both words as in
 * "*:sched_[sw]*".
 */
#ifndef DWELL_RECORD_EVENT_EVENT_TRACE_H
#define DWELL_RECORD_EVENT_EVENT_TRACE_H

#include "record/event/event_syntax.h"
#include "record/event/selected.h"
#include "record/event/tracefs.h"

/*
 * Adds a copy of MODEL for each tracepoint that the first two words of TEXT
 * match. Each copy is named after its tracepoint, followed by the modifiers,
 * unless MODEL->is_named.
 */
struct error *event_trace_add(const char *source, const struct event_text *text,
	const struct selected *model, struct selection *selection) _must_check_;

#endif
