/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collecting threads run before the load that they measure: by nice where
 * nothing else was asked for, or as SCHED_FIFO.
 */
#ifndef DWELL_RECORD_SYS_PRIORITY_H
#define DWELL_RECORD_SYS_PRIORITY_H

/*
 * Raises the calling thread, if that is allowed: to SCHED_FIFO at REALTIME
 * (sched(7): 1..99), or to NICE_LEVEL when REALTIME is PRIORITY_NICE or
 * refused; PRIORITY_OWN does so unless it is a real-time thread already, as its
 * user has made it. A refused REALTIME is told to the user. A negative one asks for that
 * many or fewer and takes what it gets: PRIORITY_LOWEST, or PRIORITY_LOW, which
 * is above it.
 */
enum {
	PRIORITY_OWN = 0,
	PRIORITY_LOWEST = -1,
	PRIORITY_LOW = -2,
	PRIORITY_NICE = -100,
};
void priority_raise(int realtime, int nice_level);

#endif
