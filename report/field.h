/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rows can be sorted by: one const table. A field gives a sample's value
 * as a number that rows are grouped by, and the text that is shown for it.
 */
#ifndef DWELL_FIELD_H
#define DWELL_FIELD_H

#include "report/resolve.h"
#include "report/survey.h"

#define FIELDS_MAX 6u

/* What fields need to turn numbers into text. */
struct field_names {
	const struct survey *survey;
	struct resolver *resolver;
};

struct field {
	const char *name;   /* as in --sort */
	const char *header; /* of its column */
	bool needs_pid, needs_tid, needs_cpu; /* of the scan */
	bool is_number;  /* its text is one, but for blanks */
	uint64_t (*value)(const struct field_names *names,
		const struct context *context, uint32_t location);
	void (*text)(const struct field_names *names, uint64_t value,
		struct strbuf *out);
};

/* By its name ("symbol" is "sym"); NULL if there is none. */
const struct field *field_find(const char *name);
/* All fields; ends with an entry whose name is NULL. */
const struct field *field_table(void);

/* The command that CONTEXT ran, "swapper", or ":1234". */
void field_comm_text(
	const struct field_names *names, uint64_t value, struct strbuf *out);
uint64_t field_comm_value(const struct field_names *names,
	const struct context *context, uint32_t location);

#endif
