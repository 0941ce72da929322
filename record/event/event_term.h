/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terms between an event's slashes that every event may have: period=,
 * freq=, name=, call-graph=, max-stack=, inherit, no-inherit, and config= to
 * config3=. Those of a PMU are in event_pmu.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_TERM_H
#define DWELL_RECORD_EVENT_EVENT_TERM_H

#include "common/util/spell_suggest.h"
#include "record/event/event_syntax.h"
#include "record/event/selected.h"

/*
 * Takes one term. VALUE is NULL where none was given. HAS_TAKEN_RET is false
 * where NAME is no such term. Errors name the term, and point nowhere.
 */
struct error *event_term_take(const char *name, const char *value,
	struct selected *event, bool *has_taken_ret) _must_check_;

/*
 * Takes all terms of TEXT for an event of no PMU; an error points at the term
 * or its value.
 */
struct error *event_terms_apply(const char *source,
	const struct event_text *text, struct selected *event) _must_check_;

/* Offers all names. */
void event_term_offer(struct nearest *nearest);

/* What a term of NAME and VALUE is pointed at with: its value if it has one. */
struct span event_term_fault(const struct event_term *term);

/* "0x1f" or "31", nothing else. */
bool event_number(const char *text, uint64_t *ret);
/* The same for the whole of a config; CONFIG is 0 to 3. */
struct error *event_set_config(struct perf_event_attr *attr, unsigned config,
	uint64_t value) _must_check_;
/* The value that event_set_config() has set. */
uint64_t event_get_config(const struct perf_event_attr *attr, unsigned config);

#endif
