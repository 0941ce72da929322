/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/priority.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "common/base.h"
#include "common/log.h"

void priority_raise(int realtime, int nice_level)
{
	struct sched_param param = { .sched_priority = realtime };
	int errnum;

	if (realtime) {
		errnum = pthread_setschedparam(
			pthread_self(), SCHED_FIFO, &param);
		if (!errnum)
			return;
		log_note("-r %d was refused (%s); it needs root or "
			 "CAP_SYS_NICE, or: ulimit -r %d",
			realtime, strerror(errnum), realtime);
	}
	if (setpriority(PRIO_PROCESS, (id_t)gettid(), nice_level) < 0)
		log_verbose("collecting at normal priority");
}
