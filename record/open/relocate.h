/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Breakpoints on symbols of a position-independent command: where it is loaded
 * is known from its exec on. So its exec is waited for (ptrace(2)), and before
 * its first instruction the breakpoints are moved to where they belong.
 */
#ifndef DWELL_RECORD_OPEN_RELOCATE_H
#define DWELL_RECORD_OPEN_RELOCATE_H

#include "record/open/open.h"

/* Whether any event of SELECTION has to wait for that. */
bool relocate_is_needed(const struct selection *selection);

/*
 * Before PID, a child that will exec PROGRAM's file, is let go. Must be called
 * by the thread that calls relocate_finish().
 */
struct error *relocate_begin(pid_t pid) _must_check_;
/*
 * Waits for its exec, moves the breakpoints, lets it run. IS_ON: they count
 * from now on.
 */
struct error *relocate_finish(
	const struct opened *opened, pid_t pid, bool is_on) _must_check_;

#endif
