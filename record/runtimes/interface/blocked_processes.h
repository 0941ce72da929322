/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes whose memory blocked a reader. Each of them keeps a thread of the recorder,
 * which waits for the read. A process in this list is not read again, also not after an
 * exec. The number of such processes is limited for each user and in all, and for the whole
 * life of the recorder. When a limit is reached, no other process of the user is read, or no
 * process at all. Each process and each limit is reported in one line.
 *
 * Thread-safe.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_BLOCKED_PROCESSES_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_BLOCKED_PROCESSES_H

#include "common/util/base.h"

/* Limits of processes that blocked a reader: of one user, and of all users. */
#define BLOCKED_PER_USER_MAX 16u
#define BLOCKED_MAX 128u
/*
 * Time limits of a read in milliseconds: usually, and for users with a process that blocked
 * a reader. The second one bounds the time for which a user can delay the recorder.
 */
#define BLOCKED_LIMIT_MS 1000u
#define BLOCKED_AGAIN_LIMIT_MS 250u

/* Why the memory of a process is not read. */
enum blocked_reason {
	BLOCKED_NOT,	 /* the memory is read */
	BLOCKED_PROCESS, /* the process blocked a reader */
	BLOCKED_USER,	 /* BLOCKED_PER_USER_MAX processes of the user did */
	BLOCKED_ALL,	 /* BLOCKED_MAX processes did */
};

/*
 * Returns whether, and why, the memory of process PID of USER must not be read. If it may be
 * read, sets *LIMIT_MS_RET to the time limit of the read.
 */
enum blocked_reason blocked_processes_check(
	uint32_t pid, uint32_t user, unsigned *limit_ms_ret);
/* Adds the process PID of USER, which exceeded the time limit. Prints notes. */
void blocked_processes_add(uint32_t pid, uint32_t user);

#endif
