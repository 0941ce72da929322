/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of tracepoints: which of them the kernel lets pass, by their fields
 * ("prev_pid == 0 && next_comm ~ \"nginx*\""). The kernel only says no to a
 * wrong one; what is wrong is found out here.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_FILTER_H
#define DWELL_RECORD_EVENT_EVENT_FILTER_H

#include <sys/types.h>

#include "common/util/error.h"
#include "record/event/selected.h"

/*
 * Adds TEXT, as all of it must hold, to the events from FIRST on, and tries
 * it. An error points at TEXT.
 */
struct error *event_filter_add(struct selection *selection, size_t first,
	const char *text) _must_check_;

/* Gives EVENT's filter to its descriptor. Returns 0 or an errno. */
int event_filter_set(const struct selected *event, int fd);

/*
 * Sets EVENT's filter so that it leaves out N threads, too. Returns 0 or an
 * errno; nothing happens for what is no tracepoint.
 */
int event_filter_leave_out(const struct selected *event, int fd,
	const pid_t *threads, size_t n);

/*
 * The first word of a filter that should be a field and is none of those that
 * FORMAT, a tracepoint's, describes. False: there is no such word.
 */
bool event_filter_find_fault(const char *filter, const char *format,
	size_t *at_ret, size_t *length_ret);

#endif
