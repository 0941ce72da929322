/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files, lines and inlined functions of one function in the table of a Go
 * program (go_table.h). Inlined functions are known since Go 1.18.
 */
#ifndef DWELL_COMMON_ELF_GO_LINES_H
#define DWELL_COMMON_ELF_GO_LINES_H

#include "common/elf/go_table.h"
#include "common/util/bytes.h"

/* Where the values of a function are in the table. */
struct go_lines {
	/* Of values (go_values_begin()): numbers of files, lines, numbers of
	 * calls. */
	uint32_t files, lines, calls;
	uint32_t unit; /* place of the first file of the function's unit */
	uint32_t tree; /* the calls of inlined functions; UINT32_MAX: none */
};
/* Reads the places for function I. Returns false if they are damaged. */
bool go_lines_read(
	const struct go_table *table, size_t i, struct go_lines *ret);

/* Values of a function: each holds for a range of addresses. */
struct go_values {
	struct bytes b;
	unsigned quantum;
	bool has_value;
	uint64_t start, end; /* the range of .value */
	int32_t value;	     /* below 0: none */
};
/*
 * Begins to read the values at PLACE of a function that starts at the address
 * START. go_values_next() reads the first one, and then each next one, and
 * returns false at the end or if they are damaged.
 */
struct go_values go_values_begin(
	const struct go_table *table, uint32_t place, uint64_t start);
bool go_values_next(struct go_values *values);

/*
 * Returns the name of file NUMBER of LINES, borrowed from TABLE, or NULL. *LEFT
 * as for go_table_name().
 */
const char *go_lines_file(const struct go_table *table,
	const struct go_lines *lines, int32_t number, uint64_t *left);

/* A call of a function that is inlined. */
struct go_call {
	const char *name; /* of the inlined function; borrowed from TABLE */
	uint32_t line;	  /* of its declaration; 0: unknown */
	/*
	 * The offset of an instruction in the containing function that has the
	 * line and the call number of the caller.
	 */
	uint32_t place;
};
/*
 * Reads call NUMBER of LINES, a function of FILE. MODULE is that of FILE. *LEFT
 * as for go_table_name(). Returns false if there is no such call.
 */
bool go_lines_call(const struct go_table *table, struct elf_file *file,
	const struct go_module *module, const struct go_lines *lines,
	int32_t number, uint64_t *left, struct go_call *ret);

#endif
