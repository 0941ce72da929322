/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether a tracepoint format is safe for libtraceevent, which trusts
 * formats: libtraceevent recurses as deep as a format nests, divides by the
 * operands of a format, and reads at the offsets in a format.
 */
#ifndef DWELL_REPORT_SURVEY_TRACEPOINT_CHECK_H
#define DWELL_REPORT_SURVEY_TRACEPOINT_CHECK_H

#include "common/util/base.h"

struct tep_event;

/* Limit of a format's size; formats of Linux 6.18 have up to 6 KB. */
#define TRACEPOINT_FORMAT_MAX KIB(64)
/*
 * Size of a buffer for the raw data of a sample, for dynamic fields that extend
 * behind the raw data, and for lists in dynamic fields.
 */
#define TRACEPOINT_ROOM KIB(320)

/*
 * Checks the size, bytes, nesting and number of operators of an unparsed
 * format. Returns false if the format is not safe.
 */
bool tracepoint_check_text(const char *text, size_t size);

enum tracepoint_use {
	TRACEPOINT_NOT,	   /* the event is not used: its fields are invalid */
	TRACEPOINT_FIELDS, /* only the fields are used, not the print format */
	TRACEPOINT_COUNTS, /* like ALL if tracepoint_check_counts() is true */
	TRACEPOINT_ALL,
};
/*
 * Returns how much of EVENT, a parsed format, is safe to use. *EXTENT_RET is
 * the least size of the raw data of EVENT's samples.
 */
enum tracepoint_use tracepoint_check_event(
	const struct tep_event *event, size_t *extent_ret);

/*
 * Returns whether the lists (arrays with a count) that EVENT prints of the
 * sample in RAW fit into RAW, a buffer of TRACEPOINT_ROOM bytes.
 */
bool tracepoint_check_counts(const struct tep_event *event, const void *raw);

#endif
