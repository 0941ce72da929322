/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TRACING_DATA: what the kernel says about the tracepoints of a recording, in
 * the form that trace-cmd gave it (tools/perf/util/trace-event-info.c; version
 * 0.6).
 */
#ifndef DWELL_REPORT_SURVEY_TRACING_H
#define DWELL_REPORT_SURVEY_TRACING_H

#include "common/file/features.h"

struct tracing {
	bool is_big_endian;   /* the recording machine */
	uint8_t long_size;    /* bytes: 4 or 8 */
	uint32_t page_size;   /* bytes */
	uint32_t n_ftrace;    /* formats left of ftrace's own events */
	uint32_t n_systems;   /* systems left */
	uint32_t n_events;    /* formats left of this one: */
	const char *system;   /* borrowed from the bytes */
	struct bytes b;       /* what is left */
};

/* The beginning; false if B isn't that. */
bool tracing_begin(struct bytes b, struct tracing *ret);
/*
 * The next format file: SIZE_RET bytes at TEXT_RET, borrowed, of the system
 * TRACING names. False at the end, or where the data end.
 */
bool tracing_next(
	struct tracing *tracing, const char **text_ret, size_t *size_ret);
/*
 * The same of the one that is called NAME, in the recording that FEATURES are
 * of; the last three are what else it says. False: it has none.
 */
bool tracing_find(const struct features *features, const char *name,
	struct tracing *tracing_ret, const char **text_ret, size_t *size_ret);

#endif
