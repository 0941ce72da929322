/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the wakeups that are kept (--off-cpu): those of threads that left a
 * CPU or of which a sample was kept. A wakeup is a sample of the waking thread,
 * so neither the target nor --record-filter selects it.
 */
#ifndef DWELL_RECORD_STREAM_WAKEUP_FILTER_H
#define DWELL_RECORD_STREAM_WAKEUP_FILTER_H

#include "common/perf/sample.h"

struct wakeup_filter;

/*
 * PLACE is the offset of the TID of the woken thread (sched_waking_offset()).
 */
struct wakeup_filter *wakeup_filter_create(size_t place);
void wakeup_filter_destroy(struct wakeup_filter *wakeups);

/* Wakeups of thread TID are kept from now on. */
void wakeup_filter_add(struct wakeup_filter *wakeups, uint32_t tid);
/*
 * Returns true if WAKING, a sample with LAYOUT, wakes a thread that was added.
 */
bool wakeup_filter_accepts(const struct wakeup_filter *wakeups,
	const struct sample_layout *layout,
	const struct perf_event_header *waking);

#endif
