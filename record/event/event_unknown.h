/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors for unknown events, with the most similar name as a hint. */
#ifndef DWELL_RECORD_EVENT_EVENT_UNKNOWN_H
#define DWELL_RECORD_EVENT_EVENT_UNKNOWN_H

#include "common/util/error.h"
#include "record/event/pmu.h"

/* Returns the error for a NAME without terms. */
struct error *event_unknown(
	const char *name, const struct pmus *pmus) _must_check_;
/* Returns the error for a NAME in front of a slash. */
struct error *event_unknown_pmu(
	const char *name, const struct pmus *pmus) _must_check_;

#endif
