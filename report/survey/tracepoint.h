/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats the raw data of tracepoints as text, by the formats in the recording
 * (TRACING_DATA). libtraceevent parses and applies the formats. libtraceevent
 * trusts its input, so formats are checked here first, and invalid formats are
 * not used.
 */
#ifndef DWELL_REPORT_SURVEY_TRACEPOINT_H
#define DWELL_REPORT_SURVEY_TRACEPOINT_H

#include "common/file/feature.h"

struct tracepoints;

/*
 * .find returns the name of the kernel function at ADDRESS, and the start of
 * the function in *START_RET; NULL: not known. If .find is NULL, no name is
 * known.
 */
struct tracepoint_names {
	const char *(*find)(void *data, uint64_t address, uint64_t *start_ret);
	void *data;
};

/*
 * FEATURES and NAMES are borrowed until tracepoints_destroy(). Returns NULL if
 * FEATURES has no formats.
 */
struct tracepoints *tracepoints_create(
	const struct features *features, const struct tracepoint_names *names);
void tracepoints_destroy(struct tracepoints *tracepoints);

/*
 * Appends the fields of a sample to OUT as escaped text. RAW are the SIZE bytes
 * of raw data of the sample, whose tracepoint has the number ID (attr.config).
 * Appends nothing if the format of ID is not known. TRACEPOINTS may be NULL.
 */
void tracepoints_print(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, struct strbuf *out);

/* Appends the names of the fields of event ID: "prev_comm,prev_pid". */
void tracepoints_print_fields(
	const struct tracepoints *tracepoints, uint64_t id, struct strbuf *out);
/* Returns whether event ID has the field NAME. TRACEPOINTS may be NULL. */
bool tracepoints_have_field(
	struct tracepoints *tracepoints, uint64_t id, const char *name);
/*
 * Appends the value of the field NAME of a sample, as in the text of
 * tracepoints_print() if that text contains "NAME=", else as libtraceevent
 * formats the field. Appends nothing if event ID has no field NAME.
 */
void tracepoints_print_value(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, const char *name, struct strbuf *out);

#endif
