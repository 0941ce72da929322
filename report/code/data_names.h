/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the names of data that code accesses by address: in the symbol tables
 * of files, or else in the recording if `dwell pack` added the names. Not
 * thread-safe.
 */
#ifndef DWELL_REPORT_CODE_DATA_NAMES_H
#define DWELL_REPORT_CODE_DATA_NAMES_H

#include "common/elf/symtab.h"
#include "report/symbols/files.h"

struct data_names;

struct data_names *data_names_create(void);
/* NAMES may be NULL. */
void data_names_destroy(struct data_names *names);

/*
 * Returns "name+0x12" for ADDRESS, as linked, in DSO of FILES; owned by the
 * caller; NULL: unknown. FILES is borrowed until data_names_destroy().
 */
char *data_names_find(struct data_names *names, struct files *files,
	uint32_t dso, uint64_t address);
/*
 * Returns the symbol of the data at ADDRESS, as linked, in DSO of FILES, or
 * NULL, and the symbol's name in NAME_RET. The symbol and the name are borrowed
 * until data_names_destroy().
 */
const struct symbol *data_names_symbol(struct data_names *names,
	struct files *files, uint32_t dso, uint64_t address,
	const char **name_ret);

#endif
