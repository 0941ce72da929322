/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "code" section: the bytes of functions that samples hit, once, of each DSO
 * (doc/format.md), for those who disassemble where the DSO isn't there. Places are
 * offsets in the DSO's file, or what stands for them, as symbols have them.
 */
#ifndef DWELL_REPORT_SYMBOLS_PACKED_CODE_H
#define DWELL_REPORT_SYMBOLS_PACKED_CODE_H

#include "common/elf/elf.h"
#include "report/symbols/packed_dsos.h"

#define PACKED_CODE_VERSION 1u

/* Each piece is a struct code_unit. NULL if the recording has none. */
struct packed_dsos *packed_code_create(struct reader *reader);
/* What is sound of SECTION, which is taken: it is empty afterwards. */
struct packed_dsos *packed_code_read(struct strbuf *section);

/* Code of one DSO, in one piece of memory without pointers. */
struct code_range {
	uint64_t start;   /* a place */
	uint64_t address; /* as linked; of the kernel and of made code: as it ran */
	uint32_t size;
	uint32_t at;      /* of its bytes, among those of all */
};
struct code_unit {
	struct elf_kind kind;
	uint32_t n;
	/* Then ranges, ascending, apart from each other; then the bytes. */
};
/* Whether all SIZE bytes at UNIT are one. */
bool code_unit_is_sound(const struct code_unit *unit, size_t size);

/* What a unit has from PLACE on; its bytes are borrowed. .size 0: nothing. */
struct code_found {
	const uint8_t *bytes;
	size_t size; /* up to the end of its function */
	uint64_t address;
};
struct code_found code_unit_find(const struct code_unit *unit, uint64_t place);

/* A unit on its way. A zeroed one is empty. */
struct code_builder {
	struct elf_kind kind;
	ARRAY(struct code_range) ranges;
	struct strbuf bytes;
};
/* The SIZE bytes at PLACE, behind all others. */
void code_builder_add(struct code_builder *builder, uint64_t place,
	uint64_t address, const void *bytes, size_t size);
/* Appends the unit, and BUILDER is empty again. */
void code_builder_finish(struct code_builder *builder, struct strbuf *out);

#endif
