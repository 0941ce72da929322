/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "code" section of a recording (doc/format.md): the machine code of the
 * functions that samples hit, by DSO, for disassembly where the DSO is missing.
 * Places are file offsets, or the addresses that replace them, as in symbols.
 */
#ifndef DWELL_REPORT_SYMBOLS_PACKED_CODE_H
#define DWELL_REPORT_SYMBOLS_PACKED_CODE_H

#include "common/elf/elf.h"
#include "report/symbols/packed_dsos.h"

#define PACKED_CODE_VERSION 1u

/* Each piece is a struct code_unit. Returns NULL if there is no section. */
struct packed_dsos *packed_code_create(struct reader *reader);
/* Reads the intact pieces of SECTION, which is empty afterwards. */
struct packed_dsos *packed_code_read(struct strbuf *section);

/* The code of one DSO, in one piece of memory without pointers. */
struct code_range {
	uint64_t start; /* a place */
	uint64_t
		address; /* as linked; of the kernel and JIT code at run time */
	uint32_t size;
	uint32_t at; /* offset of its bytes among all bytes */
};
struct code_unit {
	struct elf_kind kind;
	uint32_t n;
	/* The ranges follow, ascending and disjoint; then the bytes. */
};
/* Whether the SIZE bytes at UNIT are a valid unit. */
bool code_unit_is_valid(const struct code_unit *unit, size_t size);

/* Code of a unit from a place on; .bytes are borrowed. .size 0: no code. */
struct code_found {
	const uint8_t *bytes;
	size_t size; /* up to the end of its function */
	uint64_t address;
};
struct code_found code_unit_find(const struct code_unit *unit, uint64_t place);

/* A unit under construction. Zero-initialized it is empty. */
struct code_builder {
	struct elf_kind kind;
	ARRAY(struct code_range) ranges;
	struct strbuf bytes;
};
/* Appends the SIZE bytes of the code at PLACE, which is behind all others. */
void code_builder_add(struct code_builder *builder, uint64_t place,
	uint64_t address, const void *bytes, size_t size);
/* Appends the unit to OUT, and empties BUILDER. */
void code_builder_finish(struct code_builder *builder, struct strbuf *out);

#endif
