/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups: the folders behind -G, and all that there are as the
 * records that the kernel writes when one is made. The hierarchy is the one
 * that perf events follow: v1's perf_event where it is mounted, else v2.
 */
#ifndef DWELL_RECORD_SYNTH_CGROUPS_H
#define DWELL_RECORD_SYNTH_CGROUPS_H

#include "common/util/error.h"
#include "record/event/open_fallback.h"
#include "record/synth/synth_procs.h"

/* The folder of each event's cgroup, in the order of the events. */
struct cgroups {
	ARRAY(int) fds; /* -1: everything; none: no -G */
};

/*
 * Opens the folders of LIST ("a,,b"; a single one is for all N_EVENTS events).
 */
struct error *cgroups_open(
	const char *list, size_t n_events, struct cgroups *ret) _must_check_;
void cgroups_close(struct cgroups *cgroups);

/*
 * How the event of that index is opened; FALLBACK without a cgroup. Borrows
 * from CGROUPS; pid must be -1 then.
 */
struct opener cgroups_opener(const struct cgroups *cgroups, size_t event,
	const struct opener *fallback);

/* Appends a CGROUP record for each that there is. */
void cgroups_add_all(struct procs *procs, struct strbuf *out);

#endif
