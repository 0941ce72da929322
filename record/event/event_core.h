/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On hybrid machines, each kind of core counts hardware events with its own
 * PMU: one event of -e becomes one event per kind. On other machines it stays
 * one event.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_CORE_H
#define DWELL_RECORD_EVENT_EVENT_CORE_H

#include "record/event/pmu.h"
#include "record/event/selected.h"

/* Adds one copy of EVENT to SELECTION for each kind of core. */
void event_core_add(struct selection *selection, const struct selected *event,
	const struct pmus *pmus);

#endif
