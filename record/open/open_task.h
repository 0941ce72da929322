/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the events of one thread on all CPUs, or all events of one CPU again.
 * open_start() has run before, so the ring buffers exist and the attributes are
 * those that the kernel accepts.
 */
#ifndef DWELL_RECORD_OPEN_OPEN_TASK_H
#define DWELL_RECORD_OPEN_OPEN_TASK_H

#include "record/open/event_fds.h"

/*
 * Returns the error for EVENT (event_fds_sideband(): sideband) of thread TID
 * that perf_event_open(2) refused with ERRNUM. Owned by the caller.
 */
struct error *open_explain(const struct event_fds *opened, int errnum,
	uint32_t event, pid_t tid) _must_check_;

/*
 * Open the sideband events of thread TID, enabled, or the sample events of TID,
 * disabled. A thread that has ended is ignored. TID -1: the events per CPU.
 */
struct error *open_sideband(struct event_fds *opened, pid_t tid) _must_check_;
struct error *open_samples(struct event_fds *opened, pid_t tid) _must_check_;
/*
 * Returns the number of descriptors for N_THREADS threads of the target:
 * sideband events for all threads, and sample events for the threads to sample.
 */
size_t open_count_fds(const struct event_fds *opened, size_t n_threads);

/*
 * Opens all events per CPU of CPU again, which was offline: their old
 * descriptors never count again. Events of threads are not affected. No other
 * thread may read the ring buffers during the call.
 */
struct error *open_cpu_again(
	struct event_fds *opened, uint32_t cpu) _must_check_;

/*
 * Opens an event on each CPU for records about the kernel itself: loaded,
 * modified and BPF code, and control groups. The records get the ID of the
 * sideband event, because their sample_id has the same layout. The event is
 * optional: records that the kernel refuses are missing. Reports if requested
 * control groups cannot be recorded.
 */
void open_kernel_start(struct event_fds *opened);

#endif
