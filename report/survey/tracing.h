/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads TRACING_DATA, the formats of the tracepoints of a recording, as written
 * by trace-cmd and perf (tools/perf/util/trace-event-info.c; version 0.6).
 */
#ifndef DWELL_REPORT_SURVEY_TRACING_H
#define DWELL_REPORT_SURVEY_TRACING_H

#include "common/file/features.h"

struct tracing {
	bool is_big_endian; /* byte order of the recorded machine */
	uint8_t long_size;  /* of long, in bytes: 4 or 8 */
	uint32_t page_size; /* in bytes */
	uint32_t n_ftrace;  /* formats of ftrace's own events, not yet read */
	uint32_t n_systems; /* systems not yet read */
	uint32_t n_events;  /* formats of .system, not yet read */
	const char *system; /* subsystem; borrowed from TRACING_DATA */
	struct bytes b;	    /* the bytes not yet read */
};

/*
 * Reads the header of B, the bytes of TRACING_DATA. Returns false if B is not
 * TRACING_DATA.
 */
bool tracing_begin(struct bytes b, struct tracing *ret);
/*
 * Returns true and the next format: *SIZE_RET bytes at *TEXT_RET, borrowed, of
 * the tracepoint subsystem TRACING->system. Returns false at the end, or if the
 * data are incomplete.
 */
bool tracing_next(
	struct tracing *tracing, const char **text_ret, size_t *size_ret);
/*
 * Finds the format of the tracepoint NAME in FEATURES. TRACING_RET receives the
 * facts in the header of TRACING_DATA. Returns false if there is no such
 * format.
 */
bool tracing_find(const struct features *features, const char *name,
	struct tracing *tracing_ret, const char **text_ret, size_t *size_ret);

#endif
