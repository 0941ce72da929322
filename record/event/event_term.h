/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terms and modifiers, which every event can have. The terms are period=,
 * freq=, name=, call-graph=, max-stack=, inherit, no-inherit, and config= to
 * config3=; the terms of a PMU are in event_pmu.h. The modifiers are levels (u
 * k h, G H, I), precision (p P), use of counters (D e), reading of groups (S),
 * and groups that may be split (W). All mean the same as in perf.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_TERM_H
#define DWELL_RECORD_EVENT_EVENT_TERM_H

#include "common/util/spell_suggest.h"
#include "record/event/event_syntax.h"
#include "record/event/selection.h"

/*
 * Applies the term NAME to EVENT. VALUE is NULL for a term without value. Sets
 * HAS_TAKEN_RET to false if there is no term NAME. Errors name the term and do
 * not point into the source.
 */
struct error *event_term_take(const char *name, const char *value,
	struct selection_event *event, bool *has_taken_ret) _must_check_;

/*
 * Applies all terms of TEXT to an event without a PMU. Errors point at a term
 * or at the value of a term.
 */
struct error *event_terms_apply(const char *source,
	const struct event_text *text,
	struct selection_event *event) _must_check_;

/* Adds the names of all terms to the suggestions of NEAREST. */
void event_term_offer(struct spell_suggest *nearest);

/*
 * Returns the part of TERM that an error points at: the value, or the name if
 * TERM has no value.
 */
struct event_span event_term_fault(const struct event_term *term);

/* Parses "0x1f" or "31". Returns false for anything else. */
bool event_number(const char *text, uint64_t *ret);
/*
 * Sets the field config, config1, config2 or config3 of ATTR (CONFIG is 0 to 3)
 * to VALUE. Fails if this system lacks config3.
 */
struct error *event_set_config(struct perf_event_attr *attr, unsigned config,
	uint64_t value) _must_check_;
/*
 * Returns the field config, config1, config2 or config3 of ATTR (CONFIG is 0 to
 * 3).
 */
uint64_t event_get_config(const struct perf_event_attr *attr, unsigned config);

/* Returns whether SPAN is not empty and contains only modifiers. */
bool event_modifiers_fit(const char *source, struct event_span span);

/*
 * Applies the modifiers of TEXT and of its group to EVENT. On entry,
 * attr.exclude_guest is set, which is the value without modifiers.
 */
struct error *event_modifiers_apply(const char *source,
	const struct event_text *text,
	struct selection_event *event) _must_check_;

#endif
