/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report can have for columns. Keys are what rows are
 * grouped by: a field gives the value of a sample as a number, and the text
 * that is shown for it. The others are a row's own numbers.
 */
#ifndef DWELL_REPORT_ROWS_FIELD_H
#define DWELL_REPORT_ROWS_FIELD_H

#include "common/file/feature.h"
#include "report/rows/data_addresses.h"
#include "report/scan/inputs.h"
#include "report/scan/sample_key.h"
#include "report/util/string_table.h"

#define FIELDS_MAX 16u  /* keys of one report */
#define FIELD_TAKES 2u  /* values of a sample that one field needs */

/* What fields need to turn numbers into text. */
struct field_names {
	const struct inputs *inputs;
	struct resolver *resolver;
	struct points *points;
	struct texts *texts;   /* of what inputs have numbers of their own for */
	struct traces *traces; /* NULL unless a field needs them */
	bool has_ns;           /* times to the nanosecond */
};

enum field_kind {
	FIELD_KEY,
	FIELD_SHARE, /* a number of the row, in percent of the event's */
	FIELD_COUNT, /* a number of the row, as it is */
};

enum field_number {
	NUMBER_SELF,
	NUMBER_CHILDREN,
	NUMBER_SAMPLES,
	NUMBER_KERNEL,
	NUMBER_USER,
	NUMBER_GUEST_KERNEL,
	NUMBER_GUEST_USER,
};

/* What a file must have for a field: fields.c knows how it is recorded. */
enum field_need {
	NEEDS_NOTHING,
	NEEDS_BRANCHES,
	NEEDS_DATA_SRC,
	NEEDS_ADDR,
	NEEDS_WEIGHT,
	NEEDS_LATENCY,
	NEEDS_TRANSACTION,
	NEEDS_PHYS_ADDR,
	NEEDS_CGROUP,
	NEEDS_NAMESPACES,
	NEEDS_DATA_PAGE_SIZE,
	NEEDS_CODE_PAGE_SIZE,
	NEEDS_TIME,
	NEEDS_SOCKETS,
	NEEDS_NODES,
	NEEDS_TRACES,
	FIELD_NEEDS,
};

struct field {
	const char *name;   /* as in --sort */
	const char *header; /* of its column */
	enum field_kind kind;
	enum field_number number; /* unless it is a key */
	enum field_need needs;
	bool needs_pid, needs_tid, needs_cpu; /* of the scan */
	enum resolver_grain grain; /* that its locations must have */
	bool is_number;       /* its text is one, but for blanks */
	bool is_descending;   /* as a sort key the largest comes first */
	bool is_per_sample;   /* what is shown is the value times samples */
	bool is_of_sampled;   /* callers have none: rows of callers go */
	take_value *take[FIELD_TAKES]; /* while scanning; NULL: no more */
	const char *data;              /* what .take is handed */
	/*
	 * TAKEN has what .take gave. NULL: the number is the first of these.
	 */
	uint64_t (*value)(const struct field_names *names,
		const struct context *context, uint32_t location,
		const uint64_t *taken);
	void (*text)(const struct field_names *names, uint64_t value,
		struct strbuf *out);
};

/* The rows of the table (fields.h), by kind; each part ends with no name. */
extern const struct field field_numbers[]; /* what a row adds up to */
extern const struct field field_code[];    /* where it ran */
extern const struct field field_task[];    /* who ran, where and when */
extern const struct field field_sample[];  /* what the sample carries */
extern const struct field field_memory[];  /* what it accessed */
extern const struct field field_branch[];  /* an entry of a branch stack */
extern const struct field field_trace[];   /* what a tracepoint recorded */
extern const struct field field_input[];   /* which recording it is of */

/* The field of tracepoints that traces_have_field() knows as NAME, borrowed. */
struct field *field_of_tracepoint(const char *name);

/* What several of them show. */
void field_number_text(
	const struct field_names *names, uint64_t value, struct strbuf *out);
void field_dso_text(const struct field_names *names, uint64_t dso_name,
	struct strbuf *out);
void field_symbol_text(const struct field_names *names, uint64_t location,
	struct strbuf *out);
/* VALUE is a number of NAMES' texts. */
void field_text_text(
	const struct field_names *names, uint64_t value, struct strbuf *out);
/* The number of LOCATION's line as a text of NAMES'. */
uint64_t field_line_number(const struct field_names *names, uint32_t location);
/* "0x7f12", and 0 as perf writes it. */
void field_address_text(
	const struct field_names *names, uint64_t value, struct strbuf *out);

/* "4K", "2M"; 0 is "N/A". */
void field_size_text(
	const struct field_names *names, uint64_t value, struct strbuf *out);

/* The command that CONTEXT ran, "swapper", or ":1234". */
void field_comm_text(
	const struct field_names *names, uint64_t value, struct strbuf *out);
uint64_t field_comm_value(const struct field_names *names,
	const struct context *context, uint32_t location,
	const uint64_t *taken);

#endif
