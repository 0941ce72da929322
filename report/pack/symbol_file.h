/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a small ELF file with the symbols of another file: its build ID as a
 * note, and a .symtab. The linked addresses of that file are not known, so all
 * addresses are file offsets, as its only segment specifies. perf and dwell
 * look up file offsets and find every symbol.
 */
#ifndef DWELL_REPORT_PACK_SYMBOL_FILE_H
#define DWELL_REPORT_PACK_SYMBOL_FILE_H

#include "common/elf/symtab.h"
#include "common/perf/record.h"
#include "common/util/strbuf.h"

/* Returns the e_machine of ARCH, a name of uname(2) or NULL; or EM_NONE. */
unsigned symbol_file_machine(const char *arch);

/* TABLE has file offsets and is finished. OUT is empty before. */
void symbol_file_put(const struct build_id *id, unsigned machine,
	const struct symtab *table, struct strbuf *out);

#endif
