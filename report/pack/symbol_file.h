/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small ELF file that has but the names of another one's code: its build ID as
 * a note, and a .symtab. Where the other one's code is linked isn't known: all
 * addresses are offsets in that file, and its one segment says so. Readers that
 * go by file offsets, as perf and dwell do, find every name where it belongs.
 */
#ifndef DWELL_REPORT_PACK_SYMBOL_FILE_H
#define DWELL_REPORT_PACK_SYMBOL_FILE_H

#include "common/elf/symtab.h"
#include "common/perf/record.h"
#include "common/util/strbuf.h"

/* The e_machine of what uname(2) calls ARCH, which may be NULL; or EM_NONE. */
unsigned symbol_file_machine(const char *arch);

/* TABLE is by file offset and finished. OUT was empty. */
void symbol_file_put(const struct build_id *id, unsigned machine,
	const struct symtab *table, struct strbuf *out);

#endif
