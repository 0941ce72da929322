/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event on each CPU for records about the kernel itself: loaded, modified
 * and BPF code, and cgroups. It has the ID of the sideband event, because its
 * records have the same trailer. It is optional: what the kernel refuses is not
 * recorded.
 */
#ifndef DWELL_RECORD_OPEN_OPEN_KERNEL_H
#define DWELL_RECORD_OPEN_OPEN_KERNEL_H

#include "record/open/event_fds.h"

/*
 * Opens the event. Needs the ring buffers and sideband_attr of OPENED. Reports
 * if requested cgroups cannot be recorded.
 */
void open_kernel_start(struct event_fds *opened);
/*
 * Opens the event again on a CPU that was offline; PLACE is the index of its
 * ring buffers.
 */
void open_kernel_on_cpu(struct event_fds *opened, uint32_t place);

#endif
