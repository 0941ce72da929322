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
#include "report/util/outflow.h"
#include "report/util/string_table.h"

#define FIREFOX_NONE UINT32_MAX
#define FIREFOX_MARKS (UINT32_MAX - OFFCPU_STATES)

/*
 * Categories of frames: indexes in the array "categories" of the profile's
 * "meta".
 */
enum firefox_category {
	FIREFOX_OTHER,
	FIREFOX_USER,
	FIREFOX_KERNEL,
};

/* The tables of one thread. A zero-initialized struct is empty. */
struct firefox_tables {
	ARRAY(struct firefox_frame {
		/* A location, or FIREFOX_MARKS + the thread state. */
		uint32_t location;
		uint32_t function; /* index in .functions */
		/* functions that this frame is inlined into */
		uint32_t inlined;
	})
	frames;
	ARRAY(uint32_t) functions; /* numbers of struct function_numbers */
	ARRAY(struct firefox_stack {
		uint32_t prefix, frame; /* prefix: index in .stacks, or
					 * FIREFOX_NONE */
	})
	stacks;
	struct hash_index by_location, by_function, by_stack;
};
void firefox_tables_deinit(struct firefox_tables *tables);

/*
 * Returns the number of MOMENT's stack, whose last frame is the thread state
 * unless the thread was running. Returns FIREFOX_NONE for an empty stack, and
 * at INPUT's limit of memory.
 */
uint32_t firefox_stack(struct firefox_tables *tables,
	struct function_numbers *functions, const struct input *input,
	const struct timeline_moment *moment);

/* The DSOs of a recording. */
struct firefox_libs {
	ARRAY(const struct function_numbered *)
	at; /* for each DSO: a function of the DSO;
				      * borrowed */
	ARRAY(uint32_t)
	by_function; /* for each function: index of its DSO in
				      * .at, or FIREFOX_NONE */
};
/* Lists the DSOs of FUNCTIONS. Call it after the last function was added. */
void firefox_libs_init(
	struct firefox_libs *libs, const struct function_numbers *functions);
void firefox_libs_deinit(struct firefox_libs *libs);

/*
 * Writes TABLES with JSON as members of the current object. JSON writes to OUT.
 * The next member starts on a new line.
 */
void firefox_put_tables(const struct firefox_tables *tables,
	const struct function_numbers *functions,
	const struct firefox_libs *libs, struct outflow *out,
	struct json *json);

#endif
