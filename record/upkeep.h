/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is looked after while it is recorded: CPUs that come and go, and
 * sideband that was lost.
 */
#ifndef DWELL_RECORD_UPKEEP_H
#define DWELL_RECORD_UPKEEP_H

#include "record/hotplug.h"
#include "record/opened.h"
#include "record/pipeline.h"

/* Begins with the first four, and zeros. The first three are borrowed. */
struct upkeep {
	const struct options *options;
	struct opened *opened;
	struct pipeline *pipe;
	int uevents; /* as of uevents_open(); upkeep_deinit() closes it */
	struct hotplug hotplug;
	bool has_lost_sideband;
};

/* DATA is the upkeep. To be called about once a second. */
void upkeep_look(void *data);
/* To be called when UEVENTS can be read. */
void upkeep_hear(void *data);
void upkeep_deinit(struct upkeep *upkeep);

#endif
