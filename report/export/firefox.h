/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of each thread in a profile of Firefox's profiler: frames,
 * functions and stacks, which samples refer to by number. For export_firefox.c.
 */
#ifndef DWELL_REPORT_EXPORT_FIREFOX_H
#define DWELL_REPORT_EXPORT_FIREFOX_H

#include "common/util/json.h"
#include "report/resolve/function_numbers.h"
#include "report/result/timeline.h"
#include "report/util/export_stream.h"
#include "report/util/string_table.h"

#define FIREFOX_NONE UINT32_MAX
#define FIREFOX_MARKS (UINT32_MAX - THREAD_STATES)

/* Kinds of code; indexes in meta.categories. */
enum firefox_category {
	FIREFOX_OTHER,
	FIREFOX_USER,
	FIREFOX_KERNEL,
};

/* A zero-initialized struct is empty. */
struct firefox_tables {
	ARRAY(struct firefox_frame {
		/* From FIREFOX_MARKS on: not code, but a thread state. */
		uint32_t location;
		uint32_t function; /* index in .functions */
		uint32_t inlined;  /* outer functions at this address */
	})
	frames;
	ARRAY(uint32_t) functions; /* numbers in function_numbers */
	ARRAY(struct firefox_stack {
		uint32_t prefix, frame; /* prefix: a stack, or FIREFOX_NONE */
	})
	stacks;
	struct hash_index by_location, by_function, by_stack;
};
void firefox_tables_deinit(struct firefox_tables *tables);

/*
 * Returns the number of the stack of MOMENT, with its state, or FIREFOX_NONE at
 * READER's limit of memory.
 */
uint32_t firefox_stack(struct firefox_tables *tables,
	struct function_numbers *functions, const struct input *input,
	const struct timeline_moment *moment);

/* The DSOs of a recording. */
struct firefox_libs {
	ARRAY(const struct numbered_function *)
	at;			     /* a function of each; borrowed */
	ARRAY(uint32_t) by_function; /* index in .at, or FIREFOX_NONE */
};
/* FUNCTIONS must be complete. */
void firefox_libs_init(
	struct firefox_libs *libs, const struct function_numbers *functions);
void firefox_libs_deinit(struct firefox_libs *libs);

/*
 * Writes the tables as members of an object with JSON, which writes to OUT. The
 * next member starts on a new line.
 */
void firefox_put_tables(const struct firefox_tables *tables,
	const struct function_numbers *functions,
	const struct firefox_libs *libs, struct outflow *out,
	struct json *json);

#endif
