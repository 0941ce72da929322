/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hybrid machines, with performance and efficiency cores: each kind counts
 * hardware events by a PMU of its own, so that one event of the user's is one
 * event per kind. Everywhere else it stays one.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_CORE_H
#define DWELL_RECORD_EVENT_EVENT_CORE_H

#include "record/event/pmu.h"
#include "record/event/selected.h"

/* Adds what EVENT, which is copied, is on a machine with PMUS to SELECTION. */
void event_core_add(struct selection *selection, const struct selected *event,
	const struct pmus *pmus);

#endif
