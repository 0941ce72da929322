/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that `dwell stat` counts: those of -e, or the default events. */
#ifndef DWELL_RECORD_STAT_EVENTS_H
#define DWELL_RECORD_STAT_EVENTS_H

#include "record/open/target.h"
#include "record/stat_options.h"
#include "record/synth/cgroups.h"

/*
 * Adds the events to RET, configured for a target of KIND: all events for each
 * control group of GROUPS, if there are any.
 */
struct error *stat_events_select(const struct stat_options *options,
	enum target_kind kind, const struct pmus *pmus,
	const struct cgroup_names *groups, struct selection *ret) _must_check_;
/* Prints a note if an event counts more processes than the target. */
void stat_events_report(
	const struct selection *selection, enum target_kind kind);

#endif
