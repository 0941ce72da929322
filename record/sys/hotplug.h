/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detects recorded CPUs that go offline or return: by the list of CPUs that are
 * online, and by device events of the kernel (netlink(7), KOBJECT_UEVENT),
 * which also report a CPU that returns at once. Containers may receive no
 * device events. Does not change perf events.
 */
#ifndef DWELL_RECORD_SYS_HOTPLUG_H
#define DWELL_RECORD_SYS_HOTPLUG_H

#include "common/util/cpus.h"

/* Zero-initialized: all recorded CPUs are online. */
struct hotplug {
	struct cpus missing; /* recorded, but offline */
	struct cpus others;  /* online, but not recorded */
};

struct hotplug_change {
	/*
	 * CPUs that went offline, that are back, and that came online but are
	 * not recorded, since the previous hotplug_update().
	 */
	struct cpus gone, back, others;
};

/*
 * Compares ONLINE, the CPUs that are online now, with the previous
 * hotplug_update(), and sets RET to the changes. Returns whether anything
 * changed.
 */
bool hotplug_update(struct hotplug *hotplug, const struct cpus *recorded,
	const struct cpus *online, struct hotplug_change *ret);
/*
 * Marks CPU as offline, so that the next hotplug_update() reports that CPU is
 * back.
 */
void hotplug_mark_offline(
	struct hotplug *hotplug, const struct cpus *recorded, uint32_t cpu);
void hotplug_change_deinit(struct hotplug_change *change);
void hotplug_deinit(struct hotplug *hotplug);

/*
 * Returns a descriptor to poll for device events, owned by the caller; -1 if
 * they are not available.
 */
int hotplug_open(void);
/*
 * Reads the device events of FD, and adds the CPUs that went offline since the
 * last call to GONE.
 */
void hotplug_take(int fd, struct cpus *gone);
/*
 * Parses one device event, SIZE bytes at TEXT that end in NUL. If the event
 * reports a CPU that went offline, adds this CPU to GONE.
 */
void hotplug_read(const char *text, size_t size, struct cpus *gone);

#endif
