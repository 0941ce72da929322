/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel announces of its devices (netlink(7), KOBJECT_UEVENT): that a
 * CPU goes offline, even if it is back before anybody looks. A container may
 * hear nothing of it.
 */
#ifndef DWELL_RECORD_SYS_UEVENTS_H
#define DWELL_RECORD_SYS_UEVENTS_H

#include "common/util/cpus.h"

/* A descriptor to poll and to close; -1: there is nothing to hear here. */
int uevents_open(void);
/* Adds the CPUs that went offline since the last call to GONE. */
void uevents_take(int fd, struct cpus *gone);
/* As above, of one message: SIZE bytes at TEXT, which ends in NUL. */
void uevents_read(const char *text, size_t size, struct cpus *gone);

#endif
