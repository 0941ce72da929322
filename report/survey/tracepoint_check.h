/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a tracepoint's format may be given to libtraceevent, which trusts
 * formats to be the kernel's: it recurses as deep as a format nests, divides
 * by what it says, and reads as far as it says.
 */
#ifndef DWELL_REPORT_SURVEY_TRACEPOINT_CHECK_H
#define DWELL_REPORT_SURVEY_TRACEPOINT_CHECK_H

#include "common/util/base.h"

struct tep_event;

/* The largest format; those of Linux 6.18 have up to 6 KB. */
#define TRACEPOINT_FORMAT_MAX KIB(64)
/* Raw data, what its dynamic fields point to behind it, and lists there. */
#define TRACEPOINT_ROOM KIB(320)

/* Before it is parsed: its size, bytes, nesting and number of operators. */
bool tracepoint_check_text(const char *text, size_t size);

enum tracepoint_use {
	TRACEPOINT_NOT,    /* its fields are nonsense */
	TRACEPOINT_FIELDS, /* only its fields may be printed */
	TRACEPOINT_COUNTS, /* each sample must pass tracepoint_check_counts() */
	TRACEPOINT_ALL,
};
/* After it is parsed. EXTENT_RET: bytes that all of its raw data have. */
enum tracepoint_use tracepoint_check_event(
	const struct tep_event *event, size_t *extent_ret);

/*
 * Whether lists are as long as there is room for. RAW is the event's, in a
 * buffer of TRACEPOINT_ROOM.
 */
bool tracepoint_check_counts(const struct tep_event *event, const void *raw);

#endif
