/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel tells of itself: which code it loads, rewrites and takes
 * from BPF, and its control groups. It is an event of each whole CPU, beside
 * the sideband event and with its id, as its records have the same trailer. It
 * helps, and nothing depends on it: what isn't offered or allowed is left out.
 */
#ifndef DWELL_RECORD_OPEN_OPEN_KERNEL_H
#define DWELL_RECORD_OPEN_OPEN_KERNEL_H

#include "record/open/event_fds.h"

/* Needs OPENED's rings and sideband_attr. Tells if wished cgroups lack. */
void open_kernel_start(struct opened *opened);
/* Anew, on a CPU that was offline: PLACE is the index of its rings. */
void open_kernel_return(struct opened *opened, uint32_t place);

#endif
