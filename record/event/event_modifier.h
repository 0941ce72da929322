/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The letters behind an event: where it counts (u k h, G H, I), how precise it
 * is (p P), how it shares the counters (D e), how its group is read (S) and
 * whether it is one at all costs (W). Meanings are perf's.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_MODIFIER_H
#define DWELL_RECORD_EVENT_EVENT_MODIFIER_H

#include "record/event/event_syntax.h"
#include "record/event/selected.h"

/* All letters that perf has. */
#define EVENT_MODIFIERS "ukhpPGHIDeSWb"

/* Whether SPAN could be modifiers: known letters and nothing else. */
bool event_modifiers_fit(const char *source, struct span span);

/*
 * Applies TEXT's modifiers and those of its group. EVENT's attr must have
 * exclude_guest set, as it is without any.
 */
struct error *event_modifiers_apply(const char *source,
	const struct event_text *text, struct selected *event) _must_check_;

#endif
