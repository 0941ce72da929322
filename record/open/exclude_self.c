/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/exclude_self.h"

#include "common/util/log.h"
#include "record/event/event_filter.h"

void exclude_self_apply(const struct event_fds *opened)
{
	const struct selection *selection = opened->selection;
	struct task_list threads = { 0 };
	int errnum = 0;

	task_list_add_threads(&threads, getpid());
	array_each(&opened->fds, fd)
		if (fd->event < selection->events.n && fd->fd >= 0 && !errnum)
			errnum = event_filter_exclude_threads(
				&selection->events.at[fd->event], fd->fd,
				threads.list.at, threads.list.n);
	task_list_free(&threads);
	/* Samples that are recorded nevertheless are dropped later. */
	if (errnum)
		log_verbose("tracepoints of dwell itself use space in the ring "
			    "buffers: %s",
			strerror(errnum));
}
