/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the command line to the events of a recording, and how they are
 * sampled.
 */
#ifndef DWELL_RECORD_SELECT_H
#define DWELL_RECORD_SELECT_H

#include "record/event/event.h"
#include "record/open/target.h"
#include "record/options.h"

/* Adds what -e names, or the default. */
struct error *select_events(const struct options *options,
	const struct pmus *pmus, struct selection *ret) _must_check_;
/* Sets how all of them are sampled; tells if -F is above the limit. */
void select_sampling(const struct options *options, enum target_kind kind,
	struct selection *selection);

#endif
