/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints: "sched:sched_switch", and globs of both words as in
 * "*:sched_[sw]*". And the check of a --filter, of which the kernel says only
 * that it is wrong.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_TRACE_H
#define DWELL_RECORD_EVENT_EVENT_TRACE_H

#include "record/event/event_syntax.h"
#include "record/event/selected.h"
#include "record/event/tracefs.h"

/*
 * Adds a copy of MODEL for each tracepoint that TEXT's first two words match.
 * A copy is named by its tracepoint and the modifiers, unless MODEL is_named.
 */
struct error *event_trace_add(const char *source,
	const struct event_text *text, const struct selected *model,
	struct selection *selection) _must_check_;

#endif
