/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a report, called fields. A field that is a key groups rows:
 * the field converts a sample to a number, and the number to text. The other
 * fields are numbers of the row itself, such as percentages.
 */
#ifndef DWELL_REPORT_ROWS_FIELD_H
#define DWELL_REPORT_ROWS_FIELD_H

#include "common/file/feature.h"
#include "report/rows/data_addresses.h"
#include "report/scan/inputs.h"
#include "report/scan/sample_key.h"
#include "report/util/string_table.h"

#define FIELDS_MAX 16u /* maximum of keys of a report */
#define FIELD_TAKES 2u /* limit of sample values that one field needs */

/*
 * Data that fields need to convert numbers to text. All pointers are borrowed.
 */
struct field_names {
	const struct inputs *inputs;
	struct resolver *resolver;
	struct data_addresses *addresses;
	struct string_table *texts; /* texts that inputs number differently */
	struct trace_keys *traces;  /* NULL unless a field needs them */
	bool has_ns;		    /* print times with nanoseconds */
};

enum field_kind {
	FIELD_KEY,
	FIELD_SHARE, /* a number of the row, in percent of the total of the
			event */
	FIELD_COUNT, /* a number of the row */
	FIELD_RATIO, /* the row's period in one event of a group, divided by
			that in another (ratio.h) */
};

enum field_number {
	FIELD_NUMBER_SELF,
	FIELD_NUMBER_CHILDREN,
	FIELD_NUMBER_SAMPLES,
	FIELD_NUMBER_KERNEL,
	FIELD_NUMBER_USER,
	FIELD_NUMBER_GUEST_KERNEL,
	FIELD_NUMBER_GUEST_USER,
};

/*
 * The property of a recording that a field needs. The table in fields.c has the
 * option that records the property.
 */
enum field_need {
	FIELD_NEEDS_NOTHING,
	FIELD_NEEDS_BRANCHES,
	FIELD_NEEDS_DATA_SRC,
	FIELD_NEEDS_ADDR,
	FIELD_NEEDS_WEIGHT,
	FIELD_NEEDS_LATENCY,
	FIELD_NEEDS_TRANSACTION,
	FIELD_NEEDS_PHYS_ADDR,
	FIELD_NEEDS_CGROUP,
	FIELD_NEEDS_NAMESPACES,
	FIELD_NEEDS_DATA_PAGE_SIZE,
	FIELD_NEEDS_CODE_PAGE_SIZE,
	FIELD_NEEDS_TIME,
	FIELD_NEEDS_SOCKETS,
	FIELD_NEEDS_NODES,
	FIELD_NEEDS_TRACES,
	FIELD_NEEDS,
};

enum field_function {
	FIELD_FUNCTION_NONE,
	FIELD_FUNCTION_PARENT,
	FIELD_FUNCTION_WAITS_IN,
};

struct field {
	const char *name;   /* as in --sort */
	const char *header; /* heading of the column */
	enum field_kind kind;
	enum field_number number; /* unused for keys and ratios */
	enum field_need needs;
	bool needs_pid, needs_tid, needs_cpu; /* in contexts */
	enum resolver_grain grain; /* resolver flags that the field needs */
	bool is_number;		   /* the text is a number and leading blanks */
	bool is_descending; /* as a sort key, the largest value is first */
	bool is_per_sample; /* the value is multiplied by the number of samples
			     */
	bool is_of_sampled; /* callers have no rows with this key */
	sample_key_value *take[FIELD_TAKES]; /* called while scanning; NULL:
					  end of the list */
	const char *data;		     /* argument of .take */
	const char *ratio; /* of a FIELD_RATIO: two events, "a/b" */
	/* The function of a context that is the first of TAKEN, as location + 1. */
	enum field_function function;
	/*
	 * Returns the key of a row. TAKEN has the results of .take. If .value
	 * is NULL, the key is the first result of .take.
	 */
	uint64_t (*value)(const struct field_names *names,
		const struct context *context, uint32_t location,
		const uint64_t *taken);
	void (*text)(const struct field_names *names, uint64_t value,
		struct strbuf *out);
};

/*
 * The tables of fields (see fields.h). Each table ends with a field whose name
 * is NULL.
 */
extern const struct field field_numbers[]; /* numbers of a row */
extern const struct field field_code[];	   /* the sampled code */
extern const struct field field_task[];	   /* thread, CPU, time */
extern const struct field field_sample[];  /* values of the sample */
extern const struct field field_memory[];  /* memory accesses */
extern const struct field field_branch[];  /* entries of branch stacks */
extern const struct field field_trace[];   /* data of tracepoints */
extern const struct field field_input[];   /* the recording */

/*
 * Returns a field for the tracepoint field NAME, for which
 * trace_keys_have_field() is true. NAME is borrowed; the caller frees the
 * returned field.
 */
struct field *field_of_tracepoint(const char *name);

/*
 * Define functions of a field, of one expression: .take from SOURCE; .value from
 * NAMES, CONTEXT, LOCATION and TAKEN; .text from NAMES, VALUE and OUT.
 */
#define FIELD_TAKE(name, expression)                                 \
	static uint64_t name(const struct sample_key_source *source) \
	{                                                            \
		return expression;                                   \
	}
#define FIELD_VALUE_HEAD(name)                                  \
	uint64_t name(const struct field_names *names _unused_, \
		const struct context *context _unused_,         \
		uint32_t location _unused_, const uint64_t *taken _unused_)
#define FIELD_VALUE(name, expression) \
	static FIELD_VALUE_HEAD(name) \
	{                             \
		return expression;    \
	}
#define FIELD_TEXT_HEAD(name)                                               \
	void name(const struct field_names *names _unused_, uint64_t value, \
		struct strbuf *out)
#define FIELD_SHARED_TEXT(name, expression) \
	FIELD_TEXT_HEAD(name)               \
	{                                   \
		expression;                 \
	}
#define FIELD_TEXT(name, expression) static FIELD_SHARED_TEXT(name, expression)

/* Functions that several fields use as .text and .value. */
FIELD_TEXT_HEAD(field_number_text);
FIELD_TEXT_HEAD(field_dso_text);
FIELD_TEXT_HEAD(field_symbol_text);
/* Appends the text with number VALUE in NAMES->texts. */
FIELD_TEXT_HEAD(field_text_text);
/* Returns the number in NAMES->texts of the source line of LOCATION. */
uint64_t field_line_number(const struct field_names *names, uint32_t location);
/* Appends VALUE as an address: "0x7f12", and "0" for 0, as perf does. */
FIELD_TEXT_HEAD(field_address_text);

/* Appends VALUE as a size: "4K", "2M"; "N/A" for 0. */
FIELD_TEXT_HEAD(field_size_text);
/* Appends the text of a data address or a branch address (data_addresses.h). */
FIELD_TEXT_HEAD(field_data_address_text);

/*
 * Appends the command name of a context, "swapper", or ":1234" for an unnamed
 * thread. VALUE is from field_comm_value().
 */
FIELD_TEXT_HEAD(field_comm_text);
FIELD_VALUE_HEAD(field_comm_value);
/*
 * Appends the name of the process of CONTEXT, which has a PID: the last command
 * name of its main thread, or the name of the thread itself if the main thread
 * has no name.
 */
void field_process_text(const struct field_names *names,
	const struct context *context, struct strbuf *out);

#endif
