/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --off-cpu: the events that tell where threads leave their CPUs, and who is
 * woken when, beside what -e names. The sideband's SWITCH records tell when.
 */
#ifndef DWELL_RECORD_EVENT_OFFCPU_EVENTS_H
#define DWELL_RECORD_EVENT_OFFCPU_EVENTS_H

#include "record/event/pmu.h"
#include "record/event/selected.h"

/*
 * Adds them to SELECTION. Wakings, which not everybody may see, come last, and
 * are left out where that is known already; the user is told.
 */
struct error *offcpu_add(
	struct selection *selection, const struct pmus *pmus) _must_check_;
/*
 * Leaves out wakings, the last event, as the kernel refuses them. Takes
 * ownership of WHY, which the user is told.
 */
void offcpu_drop_wakings(struct selection *selection, struct error *why);
/* Says, once all are open, if it will only be known how long, and not where. */
void offcpu_tell(const struct selection *selection);

#endif
