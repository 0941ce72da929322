/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/priority.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "common/util/base.h"
#include "common/util/log.h"

static int raise_to(int realtime)
{
	struct sched_param param = { .sched_priority = realtime };

	return pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
}

void priority_raise(int realtime, int nice_level)
{
	int level, errnum, policy = sched_getscheduler(0);

	if (realtime == PRIORITY_OWN &&
		(policy == SCHED_FIFO || policy == SCHED_RR))
		return;
	for (level = realtime == PRIORITY_NICE ? 0 : -realtime; level > 0;
		level--)
		if (!raise_to(level))
			return;
	if (realtime > 0) {
		errnum = raise_to(realtime);
		if (!errnum)
			return;
		/*
		 * Print the message once, although several threads raise their
		 * priority.
		 */
		static bool is_reported;

		if (!__atomic_exchange_n(
			    &is_reported, true, __ATOMIC_RELAXED)) {
			log_note(
				"cannot set real-time priority (%s); it needs root or "
				"CAP_SYS_NICE, or: ulimit -r %d",
				strerror(errnum), realtime);
		}
	}
	/*
	 * Set the nice value and SCHED_OTHER: the inherited policy can be
	 * SCHED_FIFO.
	 */
	struct sched_param param = { 0 };

	if (setpriority(PRIO_PROCESS, (id_t)gettid(), nice_level) < 0)
		log_verbose("the threads that read the ring buffers have "
			    "normal priority");
	pthread_setschedparam(pthread_self(), SCHED_OTHER, &param);
}
