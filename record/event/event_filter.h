/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of tracepoints by their fields, evaluated in the kernel ("prev_pid ==
 * 0 && next_comm ~ \"nginx*\""). The kernel rejects a wrong filter without a
 * reason; this module finds the unknown field.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_FILTER_H
#define DWELL_RECORD_EVENT_EVENT_FILTER_H

#include <sys/types.h>

#include "common/util/error.h"
#include "record/event/selection.h"

/*
 * Adds filter TEXT to all events from index FIRST on: samples must match TEXT
 * and the previous filter of the event. Returns an error, which points into
 * TEXT, if the kernel rejects TEXT.
 */
struct error *event_filter_add(struct selection *selection, size_t first,
	const char *text) _must_check_;

/*
 * Sets the filter of EVENT on FD, a descriptor of EVENT. Returns 0 or an errno.
 */
int event_filter_set(const struct selection_event *event, int fd);

/*
 * Sets on FD a filter that combines the filter of EVENT with the exclusion of N
 * THREADS. Returns 0 or an errno. Does nothing if EVENT is not a tracepoint.
 */
int event_filter_exclude_threads(const struct selection_event *event, int fd,
	const pid_t *threads, size_t n);

/*
 * Finds the first field name in FILTER that FORMAT, the format of a tracepoint,
 * does not contain. Returns false if FORMAT contains all field names.
 */
bool event_filter_find_fault(const char *filter, const char *format,
	size_t *at_ret, size_t *length_ret);

#endif
