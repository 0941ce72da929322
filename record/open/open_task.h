/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening what belongs to one thread, on all CPUs, or anew to one CPU. What
 * events have to give up is known by then (open.h), and the rings are there.
 */
#ifndef DWELL_RECORD_OPEN_OPEN_TASK_H
#define DWELL_RECORD_OPEN_OPEN_TASK_H

#include "record/open/event_fds.h"

/* What users read about a sideband event that is refused. */
#define OPEN_SIDEBAND_NAME "following mappings and forks"

/*
 * Why EVENT (opened_sideband(): the sideband) can't be opened for TID, by the
 * errno that perf_event_open(2) gave. To be freed by the caller.
 */
struct error *open_refuse(const struct opened *opened, int errnum,
	uint32_t event, pid_t tid) _must_check_;

/*
 * Open one more thread's sideband, enabled, or samples, disabled. One that is
 * gone by now is passed over. TID -1: of whole CPUs, what is to be so.
 */
struct error *open_sideband(struct opened *opened, pid_t tid) _must_check_;
struct error *open_samples(struct opened *opened, pid_t tid) _must_check_;
/*
 * How many descriptors of their own N_THREADS of the target's processes take:
 * all of them for sideband, those that are the target for samples, too.
 */
size_t open_for_threads(const struct opened *opened, size_t n_threads);

/*
 * Opens everything of a whole CPU anew that was offline meanwhile: the old ones
 * never count again. A thread's own outlive that.
 * Nothing may read the rings meanwhile.
 */
struct error *open_return(struct opened *opened, uint32_t cpu) _must_check_;

#endif
