/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the PMUs that sysfs describes: "cpu/event=0x2,inv,ldlat=3/u",
 * "msr/tsc/", "uncore_imc/cas_count_read/". A term is a field of the attr
 * (format/), a named event (events/), or one that all events have.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_PMU_H
#define DWELL_RECORD_EVENT_EVENT_PMU_H

#include "record/event/event_syntax.h"
#include "record/event/pmu.h"
#include "record/event/selected.h"

/* Takes all terms of TEXT; an error points at one. */
struct error *event_pmu_apply(const char *source,
	const struct event_text *text, const struct pmus *pmus,
	const struct pmu *pmu, struct selected *event) _must_check_;

/* Makes EVENT the named event of PMU; false: PMU has none of that name. */
bool event_pmu_named(const struct pmus *pmus, const struct pmu *pmu,
	const char *name, struct selected *event, struct error **err_ret);

/* Where EVENT seeks the most precise that there is: that of PMU, if known. */
void event_pmu_limit_precise(const struct pmu *pmu, struct selected *event);
/*
 * Makes a hardware or cache event, or a raw one, one of this kind of core.
 * Only where there are several kinds.
 */
void event_pmu_bind(const struct pmu *pmu, struct selected *event);

#endif
