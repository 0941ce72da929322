/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of one file (by file offset) or of the kernel (by address):
 * filled, finished once, then asked. Finishing chooses one name among aliases
 * and gives symbols without a size an end.
 */
#ifndef DWELL_COMMON_ELF_SYMTAB_H
#define DWELL_COMMON_ELF_SYMTAB_H

#include "common/util/array.h"
#include "common/util/strbuf.h"

struct symbol {
	uint64_t start, end; /* [start, end) */
	uint32_t name;       /* offset into the table's names */
	uint8_t binding;     /* ELF STB_LOCAL, STB_GLOBAL, STB_WEAK */
};

struct symtab {
	ARRAY(struct symbol) symbols; /* by start, after symtab_finish() */
	struct strbuf names;
};

void symtab_deinit(struct symtab *table);

/* NAME is copied. END may equal START: the size isn't known. */
void symtab_add(struct symtab *table, uint64_t start, uint64_t end,
	uint8_t binding, const char *name);

/*
 * Sorts; gives a symbol without a size the next one's start for its end (the
 * last one: the end of the following page). Of symbols with one start then
 * keeps what perf would: one with a size rather than without, strong rather
 * than weak, global rather than local, with fewer leading underscores, with
 * the longer name. In kallsyms, where no symbol has a size, that is the last.
 */
void symtab_finish(struct symtab *table);

/* The symbol that covers ADDRESS, borrowed from TABLE; NULL if none does. */
const struct symbol *symtab_find(const struct symtab *table, uint64_t address);

static inline const char *symtab_name(
	const struct symtab *table, const struct symbol *symbol)
{
	return table->names.at + symbol->name;
}

#endif
