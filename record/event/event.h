/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What -e names, as attrs: "cycles", "cpu-clock:u", "sched:sched_*",
 * "cpu/event=0x3c,period=1000/", "mem:0x1000:w", several of them with commas
 * between. The syntax is event_syntax's, each kind of event has a module of
 * its own.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_H
#define DWELL_RECORD_EVENT_EVENT_H

#include "common/util/error.h"
#include "record/event/pmu.h"
#include "record/event/selected.h"

/*
 * Adds the events of TEXT (one -e). An error points at TEXT; events before it
 * may have been added.
 */
struct error *selection_add(struct selection *selection, const char *text,
	const struct pmus *pmus) _must_check_;
/* Adds what is sampled when there is no -e: cycles:P. */
void selection_add_default(
	struct selection *selection, const struct pmus *pmus);

#endif
