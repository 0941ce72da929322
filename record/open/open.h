/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the events of a target: first finds out what the kernel, the machine
 * and the privileges of the user allow, then opens the ring buffers, then the
 * events.
 */
#ifndef DWELL_RECORD_OPEN_OPEN_H
#define DWELL_RECORD_OPEN_OPEN_H

#include "record/open/event_fds.h"

/*
 * Adapts SELECTION to the kernel, opens ring buffers as large as allowed, and
 * sets the canonical ID of each event. If the limit of descriptors is too low
 * for one per thread, events are opened per CPU, if the user may do so, with a
 * message. For TARGET_COMMAND and for events of CPUs, all events are open on
 * return, sideband enabled and samples disabled; other events are opened by
 * attach_running().
 */
struct error *open_start(struct event_fds *opened, const struct opener *opener,
	struct selection *selection, const struct target *target,
	const struct event_fds_config *config) _must_check_;

#endif
