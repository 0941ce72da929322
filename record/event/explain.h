/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns a refused event into a message of one line: "cannot open event
 * 'cycles': CAUSE; REMEDY". The message contains current limits of this machine
 * and user.
 */
#ifndef DWELL_RECORD_EVENT_EXPLAIN_H
#define DWELL_RECORD_EVENT_EXPLAIN_H

#include "common/util/error.h"
#include "common/util/strbuf.h"
#include "record/event/refusal.h"

/* Appends the cause to WHY and the remedy to REMEDY, for REFUSED->caller. */
void explain_cause(const struct refused *refused, struct strbuf *why,
	struct strbuf *remedy);
/* Returns the message for REFUSED->caller. */
struct error *explain_to_caller(const struct refused *refused) _must_check_;
/*
 * Returns the message for the current process. Reads its capabilities and the
 * owner of REFUSED->pid; REFUSED->caller and .is_of_others are ignored.
 */
struct error *explain_refusal(const struct refused *refused) _must_check_;

#endif
