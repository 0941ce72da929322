/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the callers of a stack that was copied and unwound are from. What its
 * own copy didn't hold is marked in the callchain by PERF_CONTEXT_USER that
 * stands there once more, in a part that is the user's already: as often as
 * the origin's number. To other readers that changes nothing (doc/format.md).
 */
#ifndef DWELL_COMMON_PERF_FRAME_ORIGIN_H
#define DWELL_COMMON_PERF_FRAME_ORIGIN_H

#include "common/perf/sample.h"

enum origin {
	ORIGIN_COPY,    /* all of it: there is no mark */
	ORIGIN_PROCESS, /* the rest was read of the living process */
	ORIGIN_SAMPLES, /* the rest is that of other samples of the thread */
	ORIGIN_FRAMES,  /* the rest, or all, is by frame pointers */
	ORIGIN_NONE,    /* there is no user's part */
};

/* Entries of a mark. */
#define ORIGIN_MARK_MAX ((size_t)ORIGIN_FRAMES)

/* "process" for ORIGIN_PROCESS, and so on. */
const char *origin_name(enum origin origin);

/*
 * Whether stacks of ATTR's event were copied: its samples have the copies, or
 * what they were unwound to. The size of copies stands in either's attr.
 */
bool origin_is_told(const struct perf_event_attr *attr);

/*
 * Marks the last of N ENTRIES of a user's part, of which the first OWN are of
 * its copy: there is room for ORIGIN_MARK_MAX more. Gives their new number.
 */
size_t origin_put(
	enum origin origin, uint64_t *entries, size_t n, size_t own);

struct origin_mark {
	enum origin origin;
	uint64_t at, n; /* its entries; n is 0 where there is none */
};
/* That of CHAIN's N entries, of an event of which origin_is_told(). */
struct origin_mark origin_find(const uint8_t *chain, uint64_t n);

#endif
