/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hardware cache events by perf's names: CACHE[-OP][-RESULT], such as
 * L1-dcache-load-misses. Each word has aliases; the numbers are those of
 * linux/perf_event.h, PERF_COUNT_HW_CACHE_*.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_CACHE_H
#define DWELL_RECORD_EVENT_EVENT_CACHE_H

#include "common/util/base.h"

/*
 * Sets CONFIG_RET for PERF_TYPE_HW_CACHE. Returns false if NAME is no cache
 * event.
 */
bool event_cache_find(const char *name, uint64_t *config_ret);
/* Calls VISIT with the canonical name of each cache event. */
void event_cache_each(
	void (*visit)(void *data, const char *name, uint64_t config),
	void *data);

#endif
