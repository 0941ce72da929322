/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that come and go while they are recorded. Looks only; what is to be
 * done about it is for others.
 */
#ifndef DWELL_RECORD_SYS_HOTPLUG_H
#define DWELL_RECORD_SYS_HOTPLUG_H

#include "common/util/cpus.h"

/* A zeroed one is that of a recording whose CPUs are all there. */
struct hotplug {
	struct cpus missing; /* recorded, but offline */
	struct cpus others;  /* online, but not recorded */
};

struct hotplug_change {
	struct cpus gone, back, others; /* since the last look */
};

/* What has changed, ONLINE being there now. True if anything has. */
bool hotplug_look(struct hotplug *hotplug, const struct cpus *recorded,
	const struct cpus *online, struct hotplug_change *ret);
/* CPU was offline since the last look: the next one finds it back, if it is. */
void hotplug_left(
	struct hotplug *hotplug, const struct cpus *recorded, uint32_t cpu);
void hotplug_change_deinit(struct hotplug_change *change);
void hotplug_deinit(struct hotplug *hotplug);

#endif
