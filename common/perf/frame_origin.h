/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks the origin of callers that an unwound stack copy did not contain. The
 * mark is PERF_CONTEXT_USER, repeated inside the user part of the call chain
 * before the first of these callers. The number of repetitions is the value of
 * the enum frame_origin. perf ignores the mark and shows the same callers
 * (doc/format.md).
 */
#ifndef DWELL_COMMON_PERF_FRAME_ORIGIN_H
#define DWELL_COMMON_PERF_FRAME_ORIGIN_H

#include "common/perf/sample.h"

enum frame_origin {
	FRAME_ORIGIN_COPY,    /* all callers are from the stack copy; no mark */
	FRAME_ORIGIN_PROCESS, /* outer callers are from the running process */
	FRAME_ORIGIN_SAMPLES, /* outer callers are from samples of the thread */
	FRAME_ORIGIN_FRAMES,  /* outer or all callers are from frame pointers */
	FRAME_ORIGIN_NONE,    /* the chain has no user part */
};

/* The maximum number of call chain entries that are a mark. */
#define FRAME_ORIGIN_MARK_MAX ((size_t)FRAME_ORIGIN_FRAMES)

/* Returns the name of ORIGIN in output: "process" for FRAME_ORIGIN_PROCESS. */
const char *frame_origin_name(enum frame_origin origin);

/*
 * Returns true if the samples of ATTR's event have both a call chain and a
 * stack copy, or a call chain unwound from a stack copy. In both cases,
 * attr.sample_stack_user is the size of the stack copy.
 */
bool frame_origin_is_recorded(const struct perf_event_attr *attr);

/*
 * Inserts the mark of ORIGIN into the N ENTRIES of the user part of a call
 * chain. The mark is behind the first OWN entries, which are from the stack
 * copy. ENTRIES has room for FRAME_ORIGIN_MARK_MAX more. Returns the new number
 * of entries.
 */
size_t frame_origin_put(
	enum frame_origin origin, uint64_t *entries, size_t n, size_t own);

struct frame_origin_mark {
	enum frame_origin origin;
	uint64_t at, n; /* index and number of mark entries; n 0: no mark */
};
/*
 * Returns the mark in CHAIN, a call chain of N entries. Call this function only
 * for events for which frame_origin_is_recorded() is true.
 */
struct frame_origin_mark frame_origin_find(const uint8_t *chain, uint64_t n);

#endif
