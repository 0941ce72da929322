/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads samples of the tracepoint sched:sched_waking. A sample belongs to the
 * waking thread; the raw data of the sample contain the ID of the woken thread.
 */
#ifndef DWELL_COMMON_PERF_SCHED_WAKING_H
#define DWELL_COMMON_PERF_SCHED_WAKING_H

#include "common/perf/sample.h"

#define SCHED_WAKING_GROUP "sched"
#define SCHED_WAKING_NAME "sched_waking"
#define SCHED_WAKING_EVENT SCHED_WAKING_GROUP ":" SCHED_WAKING_NAME

/*
 * Returns the offset of FIELD ("pid_t pid") in the raw data of a tracepoint, or
 * 0 if there is no such field. FORMAT is the tracepoint's format file, of SIZE
 * bytes.
 */
size_t sched_waking_field_offset(
	const char *format, size_t size, const char *field);
/*
 * Returns the offset of the woken thread's ID in the raw data of sched_waking,
 * or 0. FORMAT is the tracepoint's format file, of SIZE bytes.
 */
size_t sched_waking_offset(const char *format, size_t size);
/*
 * Reads the woken thread's ID at OFFSET of SAMPLE's raw data. Returns false if
 * the raw data are too short.
 */
bool sched_waking_read(const struct sample *sample, size_t offset, bool swap,
	uint32_t *tid_ret);

#endif
