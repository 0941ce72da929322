/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said of an event that there isn't, with the one that was meant.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_UNKNOWN_H
#define DWELL_RECORD_EVENT_EVENT_UNKNOWN_H

#include "common/util/error.h"
#include "record/event/pmu.h"

/* NAME stands alone, or with modifiers. */
struct error *event_unknown(
	const char *name, const struct pmus *pmus) _must_check_;
/* NAME stands before a slash. */
struct error *event_unknown_pmu(
	const char *name, const struct pmus *pmus) _must_check_;

#endif
