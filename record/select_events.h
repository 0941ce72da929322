/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills struct selection (selection.h) with the events that the command line
 * selects, and determines how these events are sampled.
 */
#ifndef DWELL_RECORD_SELECT_EVENTS_H
#define DWELL_RECORD_SELECT_EVENTS_H

#include "record/event/event.h"
#include "record/open/target.h"
#include "record/options.h"

/* Adds the events of -e, or the default event, to RET. */
struct error *select_events_add(const struct options *options,
	const struct pmus *pmus, struct selection *ret) _must_check_;
/*
 * Configures the sampling of all events of SELECTION. A note reports a -F above
 * the limit of the kernel.
 */
void select_events_set_sampling(const struct options *options,
	enum target_kind kind, struct selection *selection);

#endif
