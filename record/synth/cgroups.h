/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups: the directories of -G, and records of all existing control
 * groups. The hierarchy is the one that perf events use: perf_event of v1 if it
 * is mounted, else v2.
 */
#ifndef DWELL_RECORD_SYNTH_CGROUPS_H
#define DWELL_RECORD_SYNTH_CGROUPS_H

#include "common/util/error.h"
#include "record/event/open_fallback.h"
#include "record/synth/synth_procs.h"

/*
 * The directory of the control group of each event, in the order of the events.
 */
struct cgroups {
	ARRAY(int) fds; /* descriptors; -1: the whole system; empty: no -G */
};

/*
 * Opens the directories of LIST ("a,,b"; a single name applies to all N_EVENTS
 * events).
 */
struct error *cgroups_open(
	const char *list, size_t n_events, struct cgroups *ret) _must_check_;
void cgroups_close(struct cgroups *cgroups);

/*
 * Returns FALLBACK, as the opener of the event with index EVENT, which opens the event
 * in its control group, if it has one. The opener borrows from CGROUPS; its pid argument
 * must be -1.
 */
struct opener cgroups_opener(const struct cgroups *cgroups, size_t event,
	const struct opener *fallback);

/* Appends a CGROUP record for each control group to OUT. */
void cgroups_add_all(struct synth_procs *procs, struct strbuf *out);

#endif
