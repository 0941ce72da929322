/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads TRACING_DATA, the formats of the tracepoints of a recording, as written
 * by trace-cmd and perf (tools/perf/util/trace-event-info.c; version 0.6).
 */
#ifndef DWELL_REPORT_SURVEY_TRACING_H
#define DWELL_REPORT_SURVEY_TRACING_H

#include "common/file/features.h"

struct tracing {
	bool is_big_endian; /* the recording machine */
	uint8_t long_size;  /* bytes: 4 or 8 */
	uint32_t page_size; /* bytes */
	uint32_t n_ftrace;  /* formats left of ftrace's own events */
	uint32_t n_systems; /* systems left */
	uint32_t n_events;  /* formats left of .system */
	const char *system; /* borrowed from the bytes */
	struct bytes b;     /* the rest */
};

/* Reads the header of B. Returns false if B is something else. */
bool tracing_begin(struct bytes b, struct tracing *ret);
/*
 * Returns the next format: SIZE_RET bytes at TEXT_RET, borrowed, of the system
 * TRACING->system. Returns false at the end, and if the data are truncated.
 */
bool tracing_next(
	struct tracing *tracing, const char **text_ret, size_t *size_ret);
/*
 * Finds the format of the tracepoint NAME in FEATURES' recording; TRACING_RET
 * has the facts of the header. Returns false if there is none.
 */
bool tracing_find(const struct features *features, const char *name,
	struct tracing *tracing_ret, const char **text_ret, size_t *size_ret);

#endif
