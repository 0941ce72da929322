/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose wakings are kept (--off-cpu): of threads that left a CPU, or of which a
 * sample was kept. A waking is a sample of whoever wakes, so that neither the
 * target nor --record-filter tells it apart.
 */
#ifndef DWELL_RECORD_STREAM_WAKEUP_FILTER_H
#define DWELL_RECORD_STREAM_WAKEUP_FILTER_H

#include "common/perf/sample.h"

struct leavers;

/* PLACE is where wakings tell who is woken (waking_place()). */
struct leavers *leavers_create(size_t place);
void leavers_destroy(struct leavers *leavers);

/* The wakings of TID are wanted from now on. */
void leavers_add(struct leavers *leavers, uint32_t tid);
/* Whether those of the thread are that WAKING wakes, a sample by LAYOUT. */
bool leavers_have(const struct leavers *leavers,
	const struct sample_layout *layout,
	const struct perf_event_header *waking);

#endif
