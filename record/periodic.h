/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is looked after while it is recorded: CPUs that come and go, and
 * sideband that was lost.
 */
#ifndef DWELL_RECORD_PERIODIC_H
#define DWELL_RECORD_PERIODIC_H

#include "record/open/event_fds.h"
#include "record/pipeline.h"
#include "record/sys/hotplug.h"

/* Begins with the first five, and zeros. The first four are borrowed. */
struct upkeep {
	const struct options *options;
	struct opened *opened;
	struct pipeline *pipe;
	struct features *head; /* as head_describe() made it */
	int uevents; /* as of uevents_open(); upkeep_deinit() closes it */
	struct hotplug hotplug;
	bool has_lost_sideband;
	bool has_new_ids; /* which HEAD lacks */
};

/* DATA is the upkeep. To be called about once a second. */
void upkeep_look(void *data);
/* To be called when UEVENTS can be read. */
void upkeep_hear(void *data);
/* Tells HEAD of CPUs that are back, if nobody else reads it now. */
void upkeep_add_ids(struct upkeep *upkeep);
void upkeep_deinit(struct upkeep *upkeep);

#endif
