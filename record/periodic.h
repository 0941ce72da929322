/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that run about once a second while recording: CPUs that go offline or
 * come online, and lost sideband records.
 */
#ifndef DWELL_RECORD_PERIODIC_H
#define DWELL_RECORD_PERIODIC_H

#include "record/open/event_fds.h"
#include "record/pipeline.h"
#include "record/sys/hotplug.h"

/*
 * The caller sets the first five members and zeroes the rest. The first four
 * are borrowed.
 */
struct periodic {
	const struct options *options;
	struct event_fds *opened;
	struct pipeline *pipe;
	struct features *head; /* made by file_head_describe() */
	int uevents; /* from uevents_open(); closed by periodic_deinit() */
	struct hotplug hotplug;
	bool has_lost_sideband;
	bool has_new_ids; /* event IDs that HEAD does not contain yet */
};

/* Runs the checks. DATA is a struct periodic. Call it about once a second. */
void periodic_check(void *data);
/* Call it when UEVENTS is readable. DATA is a struct periodic. */
void periodic_on_uevent(void *data);
/*
 * Adds the event IDs of CPUs that are online again to HEAD. No other thread may
 * read HEAD at this time.
 */
void periodic_add_ids(struct periodic *periodic);
void periodic_deinit(struct periodic *periodic);

#endif
