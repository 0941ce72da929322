/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows the progress of long work on stderr if that is a terminal. Nothing is
 * shown in the first 120 ms.
 */
#ifndef DWELL_REPORT_UTIL_PROGRESS_H
#define DWELL_REPORT_UTIL_PROGRESS_H

#include "common/util/base.h"

/*
 * Shows DONE of TOTAL of WHAT ("reading", "counting"). Cheap; not thread-safe.
 */
void progress_show(const char *what, uint64_t done, uint64_t total);
/*
 * Receives progress in percent instead of stderr, while the terminal shows
 * something else. Zero-initialized it leaves progress to stderr.
 */
struct progress_receiver {
	void (*take)(void *context, const char *what, double percent);
	void *context;
};
/* Returns the previous receiver. */
struct progress_receiver progress_divert(struct progress_receiver receiver);
/* Removes the line. */
void progress_clear(void);

/*
 * Cancels the current work: long loops end early, and their result is
 * not used. Stays set until called with false. Thread-safe.
 */
void progress_give_up(bool is_given_up);
bool progress_is_given_up(void);

#endif
