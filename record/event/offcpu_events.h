/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of --off-cpu: context switches with stacks, and wakeups. The
 * times of switches come from SWITCH records of the sideband.
 */
#ifndef DWELL_RECORD_EVENT_OFFCPU_EVENTS_H
#define DWELL_RECORD_EVENT_OFFCPU_EVENTS_H

#include "record/event/pmu.h"
#include "record/event/selection.h"

/*
 * Adds the events of --off-cpu to SELECTION. The wakeup event is last, because
 * it needs more privileges. If the wakeup event is known to be unavailable, it
 * is not added and a message reports this.
 */
struct error *offcpu_add(
	struct selection *selection, const struct pmus *pmus) _must_check_;
/*
 * Adds the event of --off-cpu if BPF measures the waits: its samples are made
 * of the records of the BPF programs (wait_sample.h).
 */
struct error *offcpu_add_waits(
	struct selection *selection, const struct pmus *pmus) _must_check_;
/*
 * Removes the wakeup event, the last event of SELECTION, after the kernel
 * refused it, and reports WHY. Takes ownership of WHY.
 */
void offcpu_drop_wakeups(struct selection *selection, struct error *why);
/*
 * After all events are open: reports if switches are recorded without
 * stacks.
 */
void offcpu_report(const struct selection *selection);

#endif
