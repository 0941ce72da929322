/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listens to device events of the kernel (netlink(7), KOBJECT_UEVENT) for CPUs
 * that go offline, even if they return at once. Containers may receive none.
 */
#ifndef DWELL_RECORD_SYS_UEVENTS_H
#define DWELL_RECORD_SYS_UEVENTS_H

#include "common/util/cpus.h"

/*
 * Returns a descriptor to poll, owned by the caller; -1 if events are not
 * available.
 */
int uevents_open(void);
/* Adds the CPUs that went offline since the last call to GONE. */
void uevents_take(int fd, struct cpus *gone);
/* Does the same for one message: SIZE bytes at TEXT, which end in NUL. */
void uevents_read(const char *text, size_t size, struct cpus *gone);

#endif
