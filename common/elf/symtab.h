/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A symbol table of one file (by file offset) or of the kernel (by address).
 * After all symbols were added, symtab_finish() selects one name per address
 * and sets the end of symbols without a size. Then symbols can be found by
 * address.
 */
#ifndef DWELL_COMMON_ELF_SYMTAB_H
#define DWELL_COMMON_ELF_SYMTAB_H

#include "common/elf/symtab_selection.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

struct symbol {
	uint64_t start, end; /* [start, end) */
	uint32_t name;	     /* offset into the table's names */
	uint8_t binding;     /* ELF STB_LOCAL, STB_GLOBAL, STB_WEAK */
	bool is_hidden;	     /* of a version for programs of earlier days */
};

/* Limit of the other names of one symbol; further ones are not returned. */
#define SYMTAB_OTHERS_MAX 1000u

struct symtab {
	ARRAY(struct symbol) symbols; /* sorted by start by symtab_finish() */
	/*
	 * Other names of the symbols: of symbols that symtab_finish() left out because
	 * a preferred one has the same range. Sorted by start.
	 */
	ARRAY(struct symtab_other {
		uint64_t start; /* of the symbol */
		uint32_t name;	/* offset into the table's names */
	})
	others;
	ARRAY(uint64_t) limits; /* until symtab_finish() */
	struct strbuf names;
	/*
	 * Selects the symbols to keep; borrowed until symtab_finish(). NULL: all are
	 * kept.
	 */
	struct symtab_selection *selection;
};

void symtab_deinit(struct symtab *table);

/*
 * The symbols of a table with a .selection are added twice:
 *
 *	do
 *		ADD THE SYMBOLS
 *	while (symtab_next_pass(table));
 *
 * Without a .selection symtab_next_pass() returns false after the first pass.
 */
bool symtab_next_pass(struct symtab *table);
/*
 * For those that read symbols: they call symtab_begin() with the number of symbols
 * before they read, stop if symtab_is_full(), and need the name of a symbol only if
 * symtab_wants() the symbol. See symtab_selection.h.
 */
static inline bool symtab_begin(struct symtab *table, uint64_t n)
{
	return !table->selection ||
		symtab_selection_reserve(table->selection, n);
}

static inline bool symtab_is_full(struct symtab *table)
{
	return table->selection && symtab_selection_is_full(table->selection);
}

static inline bool symtab_wants(
	const struct symtab *table, uint64_t start, uint64_t end)
{
	return !table->selection ||
		symtab_selection_wants(table->selection, start, end);
}

/*
 * Adds a symbol and copies NAME. If END is equal to START, the size is unknown.
 */
void symtab_add(struct symtab *table, uint64_t start, uint64_t end,
	uint8_t binding, const char *name);

/*
 * Like symtab_add(). IS_HIDDEN tells that the linker gives NAME to no new program: the
 * version of the symbol is hidden.
 */
void symtab_add_versioned(struct symtab *table, uint64_t start, uint64_t end,
	uint8_t binding, const char *name, bool is_hidden);

/*
 * Adds NAME, which is copied, as another name of the symbol that starts at START.
 */
void symtab_add_other(struct symtab *table, uint64_t start, const char *name);

/* Adds an address at which a symbol without a size ends that starts before it. */
void symtab_add_limit(struct symtab *table, uint64_t address);

/*
 * Sorts the symbols. A symbol without a size ends at the start of the next
 * symbol or at a limit; the last symbol ends with the page after its start, or at a
 * limit. Of symbols with
 * the same start, one symbol is kept, by perf's rules: with a size before
 * without, then strong before weak, global before local, fewer leading
 * underscores, and the longer name. But a name with a hidden version is kept only
 * if the others have no size. In kallsyms, where no symbol has a size, the last
 * symbol is kept.
 */
void symtab_finish(struct symtab *table);

/* Returns the symbol that contains ADDRESS, borrowed from TABLE, or NULL. */
const struct symbol *symtab_find(const struct symtab *table, uint64_t address);

/*
 * Returns other name number I of SYMBOL, from 0, borrowed from TABLE; NULL if it has
 * fewer. A linker that folds equal functions gives one function several names.
 */
const char *symtab_other_name(
	const struct symtab *table, const struct symbol *symbol, size_t i);

/* Returns the bytes of the symbols and names of TABLE. */
static inline uint64_t symtab_size(const struct symtab *table)
{
	return table->symbols.n * sizeof(struct symbol) +
		table->others.n * sizeof(struct symtab_other) + table->names.n;
}

static inline const char *symtab_name(
	const struct symtab *table, const struct symbol *symbol)
{
	return table->names.at + symbol->name;
}

#endif
