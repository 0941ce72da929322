/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The internals of struct go_table, used only by go_*.c. */
#ifndef DWELL_COMMON_ELF_GO_TABLE_PRIVATE_H
#define DWELL_COMMON_ELF_GO_TABLE_PRIVATE_H

#include "common/elf/elf.h"
#include "common/util/bytes.h"

/*
 * The formats of the table, by the first Go version that writes them, and their
 * magic numbers (cmd/link/internal/ld/pcln.go, runtime/symtab.go).
 */
enum go_format {
	GO_1_2,
	GO_1_16, /* names, files and other data have offsets in the header */
	GO_1_18, /* addresses are offsets from the start of the code */
	GO_1_20, /* functions have the line of their declaration */
	GO_FORMATS
};

struct go_table {
	struct elf_section section; /* borrowed from the file, or .copy */
	uint8_t *copy;		    /* owned; NULL: there is no copy */
	enum go_format format;
	bool is_swapped;
	unsigned pointer_size;
	unsigned quantum; /* bytes of the smallest instruction */
	uint64_t text;	  /* GO_1_18: linked address of the code */
	size_t n;
	/*
	 * Offsets in the section: names of functions, the first files of units,
	 * names of files (GO_1_2: their offsets), values, and functions.
	 */
	uint64_t names, units, files, values, functions;
};

/* Returns a cursor at OFFSET of the table; it fails if OFFSET is outside. */
static inline struct bytes go_table_bytes(
	const struct go_table *table, uint64_t offset)
{
	struct bytes b = bytes_of(
		table->section.at, table->section.size, table->is_swapped);

	bytes_take(&b, offset);
	return b;
}

/* Reads a word of the size of a pointer. */
static inline uint64_t go_table_word(
	const struct go_table *table, struct bytes *b)
{
	return table->pointer_size == 8 ? bytes_u64(b) : bytes_u32(b);
}

/* Reads an address or an offset, of a function or of its data. */
static inline uint64_t go_table_function_word(
	const struct go_table *table, struct bytes *b)
{
	return table->format >= GO_1_18 ? bytes_u32(b)
					: go_table_word(table, b);
}

/*
 * Returns the text at OFFSET behind START, or NULL if there is none. *LEFT as
 * for go_table_name().
 */
const char *go_table_text(const struct go_table *table, uint64_t start,
	uint64_t offset, uint64_t *left);
/* Returns a cursor at the data of function I; it fails if there are none. */
struct bytes go_table_function_data(const struct go_table *table, size_t i);

#endif
