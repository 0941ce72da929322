/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The moduledata of a Go program: the runtime's description of the program,
 * which has addresses that are not in the table of functions.
 */
#ifndef DWELL_COMMON_ELF_GO_MODULE_H
#define DWELL_COMMON_ELF_GO_MODULE_H

#include "common/elf/elf.h"

struct go_table;

struct go_module {
	uint64_t text;	/* linked address of the code */
	uint64_t calls; /* linked address of the data of inlined functions; 0:
			   unknown */
};

/* Finds the moduledata of FILE that refers to TABLE, of Go 1.18 or later. */
bool go_module_find(const struct go_table *table, struct elf_file *file,
	struct go_module *ret);

#endif
