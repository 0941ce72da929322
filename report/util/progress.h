/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far long work is, on stderr if that is a terminal. Nothing is shown in
 * the first moments, so short work stays silent.
 */
#ifndef DWELL_REPORT_UTIL_PROGRESS_H
#define DWELL_REPORT_UTIL_PROGRESS_H

#include "common/util/base.h"

/* DONE of TOTAL of WHAT ("reading", "counting"). Cheap; one thread only. */
void progress_show(const char *what, uint64_t done, uint64_t total);
/*
 * Is told each time, in percent, and stderr isn't: where something else is on
 * the terminal. A zeroed one leaves it to stderr.
 */
struct progress_taker {
	void (*take)(void *context, const char *what, double percent);
	void *context;
};
/* Returns who was told before. */
struct progress_taker progress_divert(struct progress_taker taker);
/* Takes the line away. */
void progress_clear(void);

/*
 * Nobody waits for what is being made any more: loops that take long end, and
 * what has come of them is good for nothing. True until it is taken back; any
 * thread.
 */
void progress_give_up(bool is_given_up);
bool progress_is_given_up(void);

#endif
