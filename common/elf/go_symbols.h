/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions in the table of a Go program (go_table.h) as symbols of its
 * file. Does not read lines or inlined functions.
 */
#ifndef DWELL_COMMON_ELF_GO_SYMBOLS_H
#define DWELL_COMMON_ELF_GO_SYMBOLS_H

#include <gelf.h>

#include "common/elf/elf.h"

/*
 * Adds the functions of FILE to TABLE, by file offset. Other symbols at the
 * same offset are preferred. Returns true if the functions are all code of
 * FILE; false if FILE is no Go program or has C code, too.
 */
bool go_symbols_add(struct elf_file *file, struct symtab *table);
/*
 * Finds the function NAME of FILE, and sets .st_value and .st_size of RET.
 * Returns false if there is none.
 */
bool go_symbols_find(struct elf_file *file, const char *name, GElf_Sym *ret);

#endif
