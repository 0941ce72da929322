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

/* A function, or a part of a function in assembly. */
struct go_function {
	uint64_t start, end; /* linked addresses: [start, end) */
	const char *name;    /* as in "main.(*list).add"; borrowed from TABLE */
};
/* Returns the number of functions, which ascend by address and do not overlap.
 */
size_t go_table_size(const struct go_table *table);
/* Reads function I. Returns false if it is damaged. */
bool go_table_function(
	const struct go_table *table, size_t i, struct go_function *ret);
/* Returns the limit for the total length of all names, against damaged tables.
 */
uint64_t go_table_names_max(const struct go_table *table);

#endif
