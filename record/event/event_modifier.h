/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the modifiers of an event: levels (u k h, G H, I), precision (p P),
 * use of counters (D e), reading of groups (S), and groups that may be split
 * (W). Their meanings are those of perf.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_MODIFIER_H
#define DWELL_RECORD_EVENT_EVENT_MODIFIER_H

#include "record/event/event_syntax.h"
#include "record/event/selected.h"

/* All modifiers of perf. */
#define EVENT_MODIFIERS "ukhpPGHIDeSWb"

/* Returns whether SPAN is not empty and contains only modifiers. */
bool event_modifiers_fit(const char *source, struct span span);

/*
 * Applies the modifiers of TEXT and of its group to EVENT. On entry,
 * attr.exclude_guest is set, which is the value without modifiers.
 */
struct error *event_modifiers_apply(const char *source,
	const struct event_text *text, struct selected *event) _must_check_;

#endif
