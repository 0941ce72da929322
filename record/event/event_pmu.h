/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the PMUs in sysfs: "cpu/event=0x2,inv,ldlat=3/u", "msr/tsc/",
 * "uncore_imc/cas_count_read/". A term is a field of the attribute (format/), a
 * named event (events/), or a term that all events have.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_PMU_H
#define DWELL_RECORD_EVENT_EVENT_PMU_H

#include "record/event/event_syntax.h"
#include "record/event/pmu.h"
#include "record/event/selection.h"

/* Applies all terms of TEXT to EVENT. Errors point at a term. */
struct error *event_pmu_apply(const char *source, const struct event_text *text,
	const struct pmus *pmus, const struct pmu *pmu,
	struct selection_event *event) _must_check_;

/*
 * Makes EVENT the named event NAME of PMU. Returns false if PMU has no such
 * event.
 */
bool event_pmu_named(const struct pmus *pmus, const struct pmu *pmu,
	const char *name, struct selection_event *event,
	struct error **err_ret);

/*
 * Adds one copy of EVENT to SELECTION for each kind of core: on hybrid
 * machines, each kind counts hardware events with its own PMU. On other
 * machines, adds one copy.
 */
void event_core_add(struct selection *selection,
	const struct selection_event *event, const struct pmus *pmus);

#endif
