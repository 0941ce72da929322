/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refusal as the one line that a user reads: "cycles: why; what to do". The
 * values in it are those of the moment, of this machine and this user.
 */
#ifndef DWELL_RECORD_EVENT_EXPLAIN_H
#define DWELL_RECORD_EVENT_EXPLAIN_H

#include "common/util/error.h"
#include "common/util/strbuf.h"
#include "record/event/refusal.h"

/* Cause and remedy apart, for REFUSED's asker. */
void explain_parts(const struct refused *refused, struct strbuf *why,
	struct strbuf *remedy);
/* To REFUSED's asker. */
struct error *explain_to(const struct refused *refused) _must_check_;
/* To who runs this: asker and is_of_others are found out. */
struct error *explain(const struct refused *refused) _must_check_;

#endif
