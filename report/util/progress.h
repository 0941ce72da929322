/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows the progress of long work on stderr if that is a terminal. Nothing is
 * shown in the first 120 ms.
 */
#ifndef DWELL_REPORT_UTIL_PROGRESS_H
#define DWELL_REPORT_UTIL_PROGRESS_H

#include "common/util/base.h"

/*
 * Shows that DONE of TOTAL of the work WHAT ("reading", "counting") is done, in
 * percent. Cheap; not thread-safe.
 */
void progress_show(const char *what, uint64_t done, uint64_t total);
/*
 * Receives the progress in percent, while the terminal shows something else.
 * With a zero-initialized receiver, progress is shown on stderr.
 */
struct progress_receiver {
	void (*take)(void *context, const char *what, double percent);
	void *context;
};
/* Sets the receiver of progress. Returns the previous receiver. */
struct progress_receiver progress_divert(struct progress_receiver receiver);
/* Removes the progress line from the terminal. */
void progress_clear(void);

/*
 * Cancels the current work: long loops end early, and their result is not used.
 * The work stays canceled until progress_give_up(false). Thread-safe.
 */
void progress_give_up(bool is_given_up);
bool progress_is_given_up(void);

#endif
