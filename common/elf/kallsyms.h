/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the text of /proc/kallsyms: "address type name [module]" per line. Only
 * code symbols (types t, T, w, W) are used. Each module has its own symbol
 * table.
 */
#ifndef DWELL_COMMON_ELF_KALLSYMS_H
#define DWELL_COMMON_ELF_KALLSYMS_H

#include "common/elf/symtab.h"
#include "common/util/hash.h"

struct kallsyms {
	uint64_t text_start; /* address of _text (or _stext); 0 if hidden */
	uint64_t text_end;   /* address of _etext; 0 if missing */
	struct symtab kernel;
	ARRAY(struct kallsyms_module {
		char *name; /* "[ext4]" */
		struct symtab symbols;
	})
	modules;
	struct hash_index by_name; /* indexes of .modules by hash of the name */
};

/*
 * Reads PATH and finishes the symbol tables. Returns false if PATH cannot be
 * opened or contains no addresses (kptr_restrict); RET is then empty.
 */
bool kallsyms_read(const char *path, struct kallsyms *ret);
/*
 * Reads the text of /proc/kallsyms from FD like kallsyms_read(). FD remains
 * owned by the caller.
 */
bool kallsyms_read_fd(int fd, struct kallsyms *ret);
void kallsyms_deinit(struct kallsyms *kallsyms);

#endif
