/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening the events of a target: what the kernel, the machine and the user's
 * rights allow is found out first, then the rings are opened, then events.
 */
#ifndef DWELL_RECORD_OPEN_OPEN_H
#define DWELL_RECORD_OPEN_OPEN_H

#include "record/open/event_fds.h"

/*
 * Adapts SELECTION to what the kernel takes, opens the rings, as large as they
 * may be, and gives each event its canonical id. Where there may not be a
 * descriptor for each thread, events are widened to whole CPUs (and the user is
 * told), if this user may see those. For TARGET_COMMAND and whatever is of
 * whole CPUs all events are open then, sideband enabled and samples disabled;
 * else attach() opens them.
 */
struct error *open_start(struct opened *opened, const struct opener *opener,
	struct selection *selection, const struct target *target,
	const struct open_wish *wish) _must_check_;

#endif
