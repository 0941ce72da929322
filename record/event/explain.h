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

/*
 * Appends the cause of the refusal to WHY and the remedy to REMEDY, for the
 * privileges in REFUSED->caller.
 */
void explain_cause(const struct refusal_case *refused, struct strbuf *why,
	struct strbuf *remedy);
/*
 * Returns an error with the message for REFUSED, for the privileges in
 * REFUSED->caller.
 */
struct error *explain_to_caller(
	const struct refusal_case *refused) _must_check_;
/*
 * Returns an error with the message for REFUSED in the current process. Reads
 * the capabilities of this process and the owner of REFUSED->pid;
 * REFUSED->caller and .is_of_others are ignored.
 */
struct error *explain_refusal(const struct refusal_case *refused) _must_check_;

#endif
