/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that Firefox's profiler wants of each thread: frames, functions
 * and stacks, which samples refer to by number. For export_firefox.c.
 */
#ifndef DWELL_REPORT_EXPORT_FIREFOX_H
#define DWELL_REPORT_EXPORT_FIREFOX_H

#include "report/resolve/function_numbers.h"
#include "report/result/timeline.h"
#include "report/util/export_stream.h"
#include "report/util/string_table.h"

#define FIREFOX_NONE UINT32_MAX
#define FIREFOX_MARKS (UINT32_MAX - THREAD_STATES)

/* Kinds of code, and how meta.categories has them. */
enum firefox_category {
	FIREFOX_OTHER,
	FIREFOX_USER,
	FIREFOX_KERNEL,
};

/* Zeroed ones are empty. */
struct firefox_tables {
	ARRAY(struct firefox_frame {
		/* Numbers; one from FIREFOX_MARKS on is no code, but a state. */
		uint32_t location;
		uint32_t function; /* of the thread's own */
		uint32_t inlined; /* so many functions further out are there */
	}) frames;
	ARRAY(uint32_t) functions; /* numbers of all */
	ARRAY(struct firefox_stack {
		uint32_t prefix, frame; /* of a stack, or FIREFOX_NONE */
	}) stacks;
	struct hash_index by_location, by_function, by_stack;
};
void firefox_tables_deinit(struct firefox_tables *tables);

/*
 * The number of the stack of MOMENT, with its state. FIREFOX_NONE: READER affords
 * no more.
 */
uint32_t firefox_stack(struct firefox_tables *tables,
	struct code_names *functions, struct reader *reader,
	const struct timeline_moment *moment);

/* The DSOs of a recording. */
struct firefox_libs {
	ARRAY(const struct code_name *) at; /* one that is in each; borrowed */
	ARRAY(uint32_t) by_function;       /* FIREFOX_NONE: in none */
};
/* FUNCTIONS are complete. */
void firefox_libs_init(
	struct firefox_libs *libs, const struct code_names *functions);
void firefox_libs_deinit(struct firefox_libs *libs);

/* The tables, as members of an object, each with a comma behind it. */
void firefox_put_tables(const struct firefox_tables *tables,
	const struct code_names *functions, const struct firefox_libs *libs,
	struct outflow *out);

#endif
