/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw data of tracepoints as keys of rows: one field, or all fields, as text.
 * Equal texts have the same number in all inputs. Not thread-safe.
 */
#ifndef DWELL_REPORT_SCAN_TRACE_KEYS_H
#define DWELL_REPORT_SCAN_TRACE_KEYS_H

#include "common/file/reader.h"

struct trace_keys;

/* Identifies an event by its number in the recording with number .input. */
struct trace_event {
	uint32_t input, event;
};

struct trace_keys *trace_keys_create(void);
/* Adds a recording as the next input, numbered from 0. READER is borrowed. */
void trace_keys_add(struct trace_keys *traces, const struct reader *reader);
void trace_keys_destroy(struct trace_keys *traces);

/*
 * Returns whether any event has the field NAME: "prev_pid" in any event,
 * "sched_switch.prev_pid" or "sched:*.prev_pid" only in matching events.
 */
bool trace_keys_have_field(const struct trace_keys *traces, const char *name);

/*
 * Formats a field of RAW, the raw data of a sample of event OF: the field NAME,
 * or all fields if NAME is NULL. Returns the number of the text; 0 if OF has no
 * such field.
 */
uint64_t trace_keys_find(struct trace_keys *traces, struct trace_event of,
	const uint8_t *raw, size_t size, const char *name);
/*
 * Returns the text with NUMBER, from trace_keys_find(); borrowed; "N/A" for 0.
 */
const char *trace_keys_text(const struct trace_keys *traces, uint64_t number);

#endif
