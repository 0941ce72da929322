/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/blocked_processes.h"

#include <inttypes.h>
#include <pthread.h>

#include "common/util/log.h"

static struct {
	pthread_mutex_t lock;
	size_t n;
	struct blocked_process {
		uint32_t pid, user;
	} list[BLOCKED_MAX];
} blocked = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Returns the number of processes of USER in the list. The caller holds the lock. */
static unsigned count_of_user(uint32_t user)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < blocked.n; i++)
		n += blocked.list[i].user == user;
	return n;
}

/* The caller holds the lock. */
static bool has_blocked(uint32_t pid)
{
	size_t i;

	for (i = 0; i < blocked.n; i++)
		if (blocked.list[i].pid == pid)
			return true;
	return false;
}

enum blocked_reason blocked_processes_check(
	uint32_t pid, uint32_t user, unsigned *limit_ms_ret)
{
	enum blocked_reason reason = BLOCKED_NOT;
	unsigned n;

	pthread_mutex_lock(&blocked.lock);
	n = count_of_user(user);
	*limit_ms_ret = n ? BLOCKED_AGAIN_LIMIT_MS : BLOCKED_LIMIT_MS;
	if (has_blocked(pid))
		reason = BLOCKED_PROCESS;
	else if (n >= BLOCKED_PER_USER_MAX)
		reason = BLOCKED_USER;
	else if (blocked.n >= BLOCKED_MAX)
		reason = BLOCKED_ALL;
	pthread_mutex_unlock(&blocked.lock);
	return reason;
}

void blocked_processes_add(uint32_t pid, uint32_t user)
{
	unsigned of_user;
	size_t n;

	pthread_mutex_lock(&blocked.lock);
	if (blocked.n < BLOCKED_MAX)
		blocked.list[blocked.n++] =
			(struct blocked_process){ pid, user };
	n = blocked.n;
	of_user = count_of_user(user);
	pthread_mutex_unlock(&blocked.lock);
	log_note("process %" PRIu32 " blocks readers of its memory: functions "
		 "of its language runtimes have no names. If it maps files of "
		 "a network or FUSE file system, check that the file system "
		 "responds",
		pid);
	if (of_user == BLOCKED_PER_USER_MAX)
		log_note("%u processes of user %" PRIu32
			 " block readers of their memory: no more processes of "
			 "this user are read, and functions of their language "
			 "runtimes have no names. To get names, end the "
			 "processes that block, and record again",
			of_user, user);
	if (n == BLOCKED_MAX)
		log_note("%u processes block readers of their memory: no more "
			 "processes are read, and functions of language "
			 "runtimes have no names. To get names, end the "
			 "processes that block, and record again",
			BLOCKED_MAX);
}
