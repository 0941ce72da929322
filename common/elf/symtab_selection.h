/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the symbols of a file that symtab_find() needs for given addresses, so that a
 * table of millions of symbols takes memory for the symbols of these addresses only.
 * The symbols are added to a struct symtab in two passes: the first pass selects starts of
 * symbols, the second one keeps the symbols at these starts (symtab_next_pass()). For the
 * given addresses the table then answers as if all symbols had been kept; for
 * other addresses its answers are undefined.
 *
 * It also limits the work and the memory for one file. A table that exceeds a limit must
 * not be used.
 */
#ifndef DWELL_COMMON_ELF_SYMTAB_SELECTION_H
#define DWELL_COMMON_ELF_SYMTAB_SELECTION_H

#include "common/util/array.h"

/*
 * symtab_find() looks for the symbols with the nearest starts: so many of them, because
 * compilers and assembly code nest only a few symbols.
 */
#define SYMTAB_NESTED_MAX 16u

struct symtab_limits {
	uint64_t symbols; /* that are read from the file */
	uint64_t bytes;	  /* of the selected symbols and their names */
	uint64_t cpu_ns;  /* CPU time of this thread, from the creation on */
	const _Atomic bool *is_abandoned; /* borrowed; NULL: never */
};

/* The limit that a selection exceeds. */
enum symtab_excess {
	SYMTAB_EXCESS_NONE,
	SYMTAB_EXCESS_SYMBOLS,
	SYMTAB_EXCESS_BYTES,
	SYMTAB_EXCESS_CPU,
	SYMTAB_EXCESS_ABANDONED,
};

/* A start of symbols. */
struct symtab_start {
	uint64_t start;
	uint64_t end;	 /* the last end of a symbol with a size; or .start */
	bool is_unsized; /* a symbol has no size */
};

struct symtab_selection {
	struct symtab_limits limits;
	enum symtab_excess excess;
	ARRAY(uint64_t) addresses; /* sorted */
	bool is_second_pass;
	ARRAY(struct symtab_start) starts; /* selected; sorted */
	ARRAY(struct symtab_start) fresh;  /* not yet compared with .starts */
	uint64_t symbols, bytes;	   /* that count for the limits */
	uint64_t cpu_ns;		   /* of this thread, at the creation */
	uint32_t steps; /* since the CPU time was last read */
};

/* The addresses follow: symtab_selection_add_address(). */
void symtab_selection_init(
	struct symtab_selection *ret, const struct symtab_limits *limits);
void symtab_selection_deinit(struct symtab_selection *selection);
/* Adds ADDRESS, which is not lower than the addresses before. */
void symtab_selection_add_address(
	struct symtab_selection *selection, uint64_t address);

/*
 * Counts N symbols of the file that are about to be read, in the first pass. Returns false
 * if they exceed the limit.
 */
bool symtab_selection_reserve(
	struct symtab_selection *selection, uint64_t n) _must_check_;
/*
 * Returns true if a limit is exceeded: the file is read no further. Reads the CPU time
 * from time to time.
 */
bool symtab_selection_is_full(struct symtab_selection *selection);
/*
 * Returns true if symtab_selection_take() would use a symbol [START, END). Its name needs
 * to be read only then. If END is equal to START, the size is unknown.
 */
bool symtab_selection_wants(
	const struct symtab_selection *selection, uint64_t start, uint64_t end);
/*
 * Adds a symbol that takes BYTES in the table. Returns true if the table keeps the symbol,
 * which is so in the second pass only.
 */
bool symtab_selection_take(struct symtab_selection *selection, uint64_t start,
	uint64_t end, size_t bytes);
/*
 * Ends the first pass. The caller adds a symbol without a name for each of .starts that
 * symtab_selection_has_names() rejects: no symbol there contains an address, but they
 * count as neighbours. Returns false if this was the second pass, or a limit is exceeded.
 */
bool symtab_selection_next_pass(struct symtab_selection *selection);
/* Returns true if a symbol at number I of .starts can contain one of the addresses. */
bool symtab_selection_has_names(
	const struct symtab_selection *selection, size_t i);

#endif
