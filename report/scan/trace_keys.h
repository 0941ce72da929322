/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tracepoints recorded, as keys of rows: one field of theirs, or all of
 * it as text. Equal texts have one number, in all inputs, so samples must be
 * counted by one thread.
 */
#ifndef DWELL_REPORT_SCAN_TRACE_KEYS_H
#define DWELL_REPORT_SCAN_TRACE_KEYS_H

#include "common/file/reader.h"

struct traces;

/* Which event: INPUT's, by its number there. */
struct trace_event {
	uint32_t input, event;
};

struct traces *traces_create(void);
/* Adds the next input, from 0; READER is borrowed. */
void traces_add(struct traces *traces, const struct reader *reader);
void traces_destroy(struct traces *traces);

/*
 * Whether any event has the field NAME: "prev_pid", or "sched_switch.prev_pid",
 * "sched:*.prev_pid" of those events alone.
 */
bool traces_have_field(const struct traces *traces, const char *name);

/*
 * The number of what a sample OF that event recorded as RAW: its field NAME, or
 * all if NAME is NULL. 0: it has none.
 */
uint64_t traces_find(struct traces *traces, struct trace_event of,
	const uint8_t *raw, size_t size, const char *name);
/* Borrowed; "N/A" for 0. */
const char *traces_text(const struct traces *traces, uint64_t number);

#endif
