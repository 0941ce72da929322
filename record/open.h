/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening the events of a target: what the kernel, the machine and the user's
 * rights allow is found out first, then the rings are opened, then events.
 */
#ifndef DWELL_RECORD_OPEN_H
#define DWELL_RECORD_OPEN_H

#include "record/opened.h"

/*
 * Adapts SELECTION to what the kernel takes, opens the rings, as large as they
 * may be, and gives each event its canonical id. For TARGET_COMMAND and
 * TARGET_SYSTEM all events are open then, sideband enabled and samples
 * disabled; else attach() opens them.
 */
struct error *open_start(struct opened *opened, const struct opener *opener,
	struct selection *selection, const struct target *target,
	const struct open_wish *wish) _must_check_;

/*
 * Open one more thread's sideband, enabled, or samples, disabled. One that is
 * gone by now is passed over.
 */
struct error *open_sideband(struct opened *opened, pid_t tid) _must_check_;
struct error *open_samples(struct opened *opened, pid_t tid) _must_check_;
/* How many descriptors a thread takes, sideband included. */
size_t opened_per_thread(const struct opened *opened);

/*
 * Opens everything anew on a CPU that was offline meanwhile, if events are of
 * whole CPUs (a thread's own outlive that): the old ones never count again.
 * Nothing may read the rings meanwhile.
 */
struct error *opened_return(struct opened *opened, uint32_t cpu) _must_check_;

#endif
