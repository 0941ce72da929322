/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of what code asks for by address: variables and the like, as the symbol
 * tables of files that are there tell, or else the recording, if it was packed.
 * For one thread.
 */
#ifndef DWELL_REPORT_CODE_DATA_NAMES_H
#define DWELL_REPORT_CODE_DATA_NAMES_H

#include "common/elf/symtab.h"
#include "report/symbols/files.h"

struct data_names;

struct data_names *data_names_create(void);
/* NULL is fine. */
void data_names_destroy(struct data_names *names);

/*
 * "name+0x12": what is at ADDRESS, as linked, of the DSO of FILES, which is
 * borrowed. The caller's; NULL: nobody tells.
 */
char *data_names_find(struct data_names *names, struct files *files,
	uint32_t dso, uint64_t address);
/* The same as a symbol, by linked address, and its name; both borrowed. */
const struct symbol *data_names_symbol(struct data_names *names,
	struct files *files, uint32_t dso, uint64_t address,
	const char **name_ret);

#endif
