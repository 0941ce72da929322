/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/wakeup_filter.h"

#include "common/perf/sched_waking.h"
#include "common/util/alloc.h"

/* linux/threads.h, PID_MAX_LIMIT of 64-bit machines: all ids are below. */
#define IDS_MAX (4u * 1024 * 1024)

struct leavers {
	size_t place;
	/* By id. Only the pages of ids that exist are ever touched. */
	uint8_t *bits;
};

struct leavers *leavers_create(size_t place)
{
	struct leavers *leavers = xcalloc(1, sizeof(*leavers));

	leavers->place = place;
	leavers->bits = xcalloc(IDS_MAX / 8 + 1, 1);
	return leavers;
}

void leavers_destroy(struct leavers *leavers)
{
	if (!leavers)
		return;
	free(leavers->bits);
	free(leavers);
}

void leavers_add(struct leavers *leavers, uint32_t tid)
{
	uint32_t id = MIN(tid, IDS_MAX);

	leavers->bits[id / 8] |= (uint8_t)(1u << id % 8);
}

bool leavers_have(const struct leavers *leavers,
	const struct sample_layout *layout,
	const struct perf_event_header *waking)
{
	const struct record record = { waking->type, waking->misc, waking->size,
		(const uint8_t *)waking, false };
	struct sample sample;
	uint32_t tid;

	if (!sample_read(layout, &record, &sample) ||
		!waking_read(&sample, leavers->place, false, &tid))
		return false;
	tid = MIN(tid, IDS_MAX);
	return leavers->bits[tid / 8] >> tid % 8 & 1;
}
