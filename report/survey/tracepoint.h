/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats the raw data of tracepoints as text, by the formats in the recording
 * (TRACING_DATA). libtraceevent parses and applies the formats. It trusts its
 * input, so formats are checked here first, and invalid ones are not used.
 */
#ifndef DWELL_REPORT_SURVEY_TRACEPOINT_H
#define DWELL_REPORT_SURVEY_TRACEPOINT_H

#include "common/file/feature.h"

struct tracepoints;

/* Returns the kernel function at ADDRESS and its start; NULL: not known. */
struct tracepoint_names {
	const char *(*find)(void *data, uint64_t address, uint64_t *start_ret);
	void *data;
};

/*
 * Parameters are borrowed until the end. Returns NULL if there are no formats.
 */
struct tracepoints *tracepoints_create(
	const struct features *features, const struct tracepoint_names *names);
void tracepoints_destroy(struct tracepoints *tracepoints);

/*
 * Appends the fields of a sample: SIZE bytes at RAW of the event with number ID
 * (attr.config), escaped; nothing if its format is not known. TRACEPOINTS may
 * be NULL.
 */
void tracepoints_print(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, struct strbuf *out);

/* Appends the names of the event's fields: "prev_comm,prev_pid". */
void tracepoints_print_fields(
	const struct tracepoints *tracepoints, uint64_t id, struct strbuf *out);
/* Returns whether event ID has the field NAME. TRACEPOINTS may be NULL. */
bool tracepoints_have_field(
	struct tracepoints *tracepoints, uint64_t id, const char *name);
/*
 * Appends the field NAME of a sample as in the text of tracepoints_print(), or
 * else formatted by itself; nothing if there is no such field.
 */
void tracepoints_print_value(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, const char *name, struct strbuf *out);

#endif
