/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the text of -e into events: "cycles", "cpu-clock:u", "sched:sched_*",
 * "cpu/event=0x3c,period=1000/", "mem:0x1000:w", separated by commas.
 * event_syntax.h parses the text; each kind of event has a module event_*.h.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_H
#define DWELL_RECORD_EVENT_EVENT_H

#include "common/util/error.h"
#include "record/event/pmu.h"
#include "record/event/selection.h"

/*
 * Adds the events of TEXT, the value of one -e, to SELECTION. An error points
 * into TEXT; the events before the wrong event may then have been added.
 */
struct error *event_select(struct selection *selection, const char *text,
	const struct pmus *pmus) _must_check_;
/* Adds the default event without -e: cycles:P. */
void event_select_default(struct selection *selection, const struct pmus *pmus);

#endif
