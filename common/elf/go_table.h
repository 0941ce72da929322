/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads .gopclntab, the table of functions that each Go program contains for
 * its own stack traces, also if the program is stripped. The formats of Go 1.2
 * and later are known; offsets and sizes are checked, because files are not
 * trusted.
 */
#ifndef DWELL_COMMON_ELF_GO_TABLE_H
#define DWELL_COMMON_ELF_GO_TABLE_H

#include "common/elf/elf.h"

struct go_table;

/*
 * Opens the table of FILE, which is borrowed until go_table_close(). Returns
 * NULL if FILE has no table of a known format.
 */
struct go_table *go_table_open(struct elf_file *file);
/* TABLE may be NULL. */
void go_table_close(struct go_table *table);

struct go_function {
	uint64_t start, end; /* linked addresses: [start, end) */
};
/* Returns the number of functions. They are sorted by address. */
size_t go_table_size(const struct go_table *table);
/*
 * Returns the number of the last function that starts at or before ADDRESS, or
 * go_table_size() if there is none.
 */
size_t go_table_find(const struct go_table *table, uint64_t address);
/* Reads function I. Returns false if it is damaged. */
bool go_table_function(
	const struct go_table *table, size_t i, struct go_function *ret);
/*
 * Returns the name of function I, as in "main.(*list).add", borrowed from
 * TABLE, or NULL if it is damaged. Many functions can have one long name:
 * subtracts the bytes that were read from *LEFT. A name that exceeds *LEFT is
 * damage, too.
 */
const char *go_table_name(
	const struct go_table *table, size_t i, uint64_t *left);
/* Returns the size of the table in bytes, or more if other data follow. */
uint64_t go_table_bytes_max(const struct go_table *table);

/*
 * The moduledata of a Go program: the runtime's description of the program,
 * which has addresses that are not in the table of functions.
 */
struct go_module {
	uint64_t text;	/* linked address of the code */
	uint64_t calls; /* linked address of the data of inlined functions; 0:
			   unknown */
};
/* Finds the moduledata of FILE that refers to TABLE, of Go 1.18 or later. */
bool go_table_module(const struct go_table *table, struct elf_file *file,
	struct go_module *ret);

#endif
