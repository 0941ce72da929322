/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The raw data of tracepoints as text, by the formats that a recording carries
 * (its TRACING_DATA). libtraceevent reads and applies them; it trusts its
 * input, so what a format says is checked here, and one that is not sound is
 * not used.
 */
#ifndef DWELL_REPORT_SURVEY_TRACEPOINT_H
#define DWELL_REPORT_SURVEY_TRACEPOINT_H

#include "common/file/feature.h"

struct tracepoints;

/* The kernel's function at ADDRESS, and its start; NULL: not known. */
struct tracepoint_names {
	const char *(*find)(void *data, uint64_t address, uint64_t *start_ret);
	void *data;
};

/* All is borrowed until the end. NULL: nothing is known of tracepoints. */
struct tracepoints *tracepoints_create(const struct features *features,
	const struct tracepoint_names *names);
void tracepoints_destroy(struct tracepoints *tracepoints);

/*
 * Appends what the event with number ID (attr.config) recorded as SIZE bytes
 * at RAW, escaped; nothing where its format isn't known. TRACEPOINTS may be
 * NULL.
 */
void tracepoints_print(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, struct strbuf *out);

/* "prev_comm,prev_pid": the names of its fields, but for the common ones. */
void tracepoints_print_fields(const struct tracepoints *tracepoints,
	uint64_t id, struct strbuf *out);
/* Whether the event ID has the field NAME. TRACEPOINTS may be NULL. */
bool tracepoints_have_field(
	struct tracepoints *tracepoints, uint64_t id, const char *name);
/*
 * Appends the field NAME of it, as it stands in what tracepoints_print()
 * writes, otherwise as its format has it; nothing if there is no such field.
 */
void tracepoints_print_value(struct tracepoints *tracepoints, uint64_t id,
	const uint8_t *raw, size_t size, const char *name,
	struct strbuf *out);

#endif
