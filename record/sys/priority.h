/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raises the priority of the threads that read the ring buffers, so that they
 * run before the load that they measure: by nice value, or as SCHED_FIFO.
 */
#ifndef DWELL_RECORD_SYS_PRIORITY_H
#define DWELL_RECORD_SYS_PRIORITY_H

/*
 * Raises the priority of the calling thread if permitted: to SCHED_FIFO with
 * priority REALTIME (sched(7): 1..99), or to NICE_LEVEL if REALTIME is
 * PRIORITY_NICE or was refused, which a message reports. PRIORITY_OWN keeps a
 * real-time priority that the user has set, and is PRIORITY_NICE otherwise.
 * PRIORITY_LOWEST requests the lowest real-time priority, and PRIORITY_LOW the
 * one above, without a message if refused.
 */
enum {
	PRIORITY_OWN = 0,
	PRIORITY_LOWEST = -1,
	PRIORITY_LOW = -2,
	PRIORITY_NICE = -100,
};
void priority_raise(int realtime, int nice_level);

#endif
