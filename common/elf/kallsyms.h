/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of /proc/kallsyms: "address type name [module]" a line. Only code
 * (types t, T, w, W) is taken, each module's into a table of its own.
 */
#ifndef DWELL_COMMON_ELF_KALLSYMS_H
#define DWELL_COMMON_ELF_KALLSYMS_H

#include "common/elf/symtab.h"
#include "common/util/hash.h"

struct kallsyms {
	uint64_t text_start; /* address of _text (or _stext); 0 if hidden */
	uint64_t text_end;   /* address of _etext; 0 if not told */
	struct symtab kernel;
	ARRAY(struct kernel_module {
		char *name; /* "[ext4]" */
		struct symtab symbols;
	}) modules;
	struct hash_index by_name; /* of modules */
};

/*
 * Reads PATH. Returns false when it can't be opened or shows no addresses
 * (kptr_restrict); RET is then empty. Its tables are finished.
 */
bool kallsyms_read(const char *path, struct kallsyms *ret);
/* The same from FD, which stays the caller's. */
bool kallsyms_read_fd(int fd, struct kallsyms *ret);
void kallsyms_deinit(struct kallsyms *kallsyms);

#endif
