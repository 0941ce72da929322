/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/wakeup_filter.h"

#include "common/perf/sched_waking.h"
#include "common/util/alloc.h"
#include "record/sys/pid_table.h"

struct wakeup_filter {
	size_t place;
	PID_TABLE(bool) has_left;
};

struct wakeup_filter *wakeup_filter_create(size_t place)
{
	struct wakeup_filter *wakeups = xcalloc(1, sizeof(*wakeups));

	wakeups->place = place;
	pid_table_init(&wakeups->has_left);
	return wakeups;
}

void wakeup_filter_destroy(struct wakeup_filter *wakeups)
{
	if (!wakeups)
		return;
	pid_table_free(&wakeups->has_left);
	free(wakeups);
}

void wakeup_filter_add(struct wakeup_filter *wakeups, uint32_t tid)
{
	*pid_table_at(&wakeups->has_left, tid) = true;
}

bool wakeup_filter_accepts(const struct wakeup_filter *wakeups,
	const struct sample_layout *layout,
	const struct perf_event_header *waking)
{
	const struct record record = { waking->type, waking->misc, waking->size,
		(const uint8_t *)waking, false };
	struct sample sample;
	uint32_t tid;

	return sample_read(layout, &record, &sample) &&
		sched_waking_read(&sample, wakeups->place, false, &tid) &&
		*pid_table_at(&wakeups->has_left, tid);
}
