/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether a tracepoint format is safe for libtraceevent, which trusts
 * formats: it recurses as deep as a format nests, divides by its operands, and
 * reads at its offsets.
 */
#ifndef DWELL_REPORT_SURVEY_TRACEPOINT_CHECK_H
#define DWELL_REPORT_SURVEY_TRACEPOINT_CHECK_H

#include "common/util/base.h"

struct tep_event;

/* Limit of a format's size; formats of Linux 6.18 have up to 6 KB. */
#define TRACEPOINT_FORMAT_MAX KIB(64)
/* Space for the raw data, the dynamic fields behind it, and lists in these. */
#define TRACEPOINT_ROOM KIB(320)

/*
 * Checks an unparsed format: its size, bytes, nesting and number of operators.
 */
bool tracepoint_check_text(const char *text, size_t size);

enum tracepoint_use {
	TRACEPOINT_NOT,    /* its fields are invalid */
	TRACEPOINT_FIELDS, /* only its fields may be printed */
	TRACEPOINT_COUNTS, /* each sample must pass tracepoint_check_counts() */
	TRACEPOINT_ALL,
};
/* Checks a parsed format. *EXTENT_RET is the least size of its raw data. */
enum tracepoint_use tracepoint_check_event(
	const struct tep_event *event, size_t *extent_ret);

/*
 * Whether the lists of a sample fit into TRACEPOINT_ROOM, the size of the
 * buffer RAW.
 */
bool tracepoint_check_counts(const struct tep_event *event, const void *raw);

#endif
