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
 * Open the sideband events of a thread, enabled, or its samples, disabled. A
 * thread that has ended is ignored. TID -1: the events of CPUs.
 */
struct error *open_sideband(struct event_fds *opened, pid_t tid) _must_check_;
struct error *open_samples(struct event_fds *opened, pid_t tid) _must_check_;
/*
 * Returns the number of descriptors for N_THREADS threads of the target:
 * sideband for all, and samples for the threads to sample.
 */
size_t open_count_fds(const struct event_fds *opened, size_t n_threads);

/*
 * Opens all events of a CPU again that was offline: the old ones never count
 * again. Events of threads survive that. The ring buffers must not be read
 * meanwhile.
 */
struct error *open_cpu_again(
	struct event_fds *opened, uint32_t cpu) _must_check_;

/*
 * Opens an event on each CPU for records about the kernel itself: loaded,
 * modified and BPF code, and cgroups. It has the ID of the sideband event,
 * because its records have the same trailer. It is optional: what the kernel
 * refuses is not recorded. Reports if requested cgroups cannot be recorded.
 */
void open_kernel_start(struct event_fds *opened);

#endif
