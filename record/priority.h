/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collecting threads run before the load that they measure: by nice where
 * nothing else was asked for, or as SCHED_FIFO.
 */
#ifndef DWELL_RECORD_PRIORITY_H
#define DWELL_RECORD_PRIORITY_H

/*
 * Raises the calling thread, if that is allowed: to SCHED_FIFO at REALTIME
 * (sched(7): 1..99), or to NICE_LEVEL when REALTIME is PRIORITY_NICE or
 * refused. A refused REALTIME is told to the user, unless it is
 * PRIORITY_LOWEST, which asks for 1 and takes what it gets.
 */
enum { PRIORITY_NICE = 0, PRIORITY_LOWEST = -1 };
void priority_raise(int realtime, int nice_level);

/*
 * Before all ordinary threads for a moment, if that is allowed: nice counts
 * little beside a thousand of them.
 */
void priority_hurry(void);
/* Back to where the calling thread was before. */
void priority_relax(void);

#endif
