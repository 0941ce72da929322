/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collecting threads run before the load that they measure: by nice where
 * nothing else was asked for, or as SCHED_FIFO.
 */
#ifndef DWELL_RECORD_PRIORITY_H
#define DWELL_RECORD_PRIORITY_H

/*
 * Raises the calling thread, if that is allowed: to SCHED_FIFO at REALTIME, or
 * to NICE_LEVEL when REALTIME is 0. A refused REALTIME is told to the user.
 */
void priority_raise(int realtime, int nice_level);

#endif
