/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Relocates breakpoints on symbols of a position-independent command, whose
 * load address is known from its exec on. Waits for the exec with ptrace(2) and
 * moves the breakpoints before the first instruction.
 */
#ifndef DWELL_RECORD_OPEN_RELOCATE_H
#define DWELL_RECORD_OPEN_RELOCATE_H

#include "record/open/event_fds.h"

/* Returns whether SELECTION has breakpoints that need relocation. */
bool relocate_is_needed(const struct selection *selection);

/*
 * Attaches to PID, a child before its exec, with ptrace(2). Call this function
 * in the thread that calls relocate_finish().
 */
struct error *relocate_begin(pid_t pid) _must_check_;
/*
 * Waits for the exec of PID, moves the breakpoints of SELECTION, enables them if
 * IS_ON, and lets PID run. FDS are the N descriptors of the events.
 */
struct error *relocate_finish(struct selection *selection,
	const struct event_fd *fds, size_t n, pid_t pid,
	bool is_on) _must_check_;

#endif
