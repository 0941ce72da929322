/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads machine code of a recording's functions for disassembly. The bytes come
 * from the recording (its section "code"), from the DSO's file if it is proven
 * to be the recorded one, from vmlinux, or from a jitdump. There are no bytes
 * of kernel modules, of BPF programs, and of JIT code that has only a perf map.
 * The kernel patches its code at run time (tracing, mitigations); vmlinux has
 * the code as linked. Not thread-safe.
 */
#ifndef DWELL_REPORT_SYMBOLS_CODE_BYTES_H
#define DWELL_REPORT_SYMBOLS_CODE_BYTES_H

#include "common/elf/elf.h"
#include "report/symbols/files.h"
#include "report/symbols/packed_dsos.h"

/* Limit of the code of one function that is read or packed. */
#define CODE_BYTES_MAX MIB(1)

struct code_bytes;

/* FILES is borrowed for the life of the result. */
struct code_bytes *code_bytes_create(struct files *files);
/* CODES may be NULL. */
void code_bytes_destroy(struct code_bytes *codes);

struct code_query {
	uint32_t dso;   /* a number of survey->maps */
	uint64_t place; /* as in symbols: an offset in the file; for the kernel
	                 * and JIT code, an address at run time */
	size_t size;
};

struct code_facts {
	struct elf_kind kind; /* 0: that of the recording's header */
	uint64_t address;     /* of the first byte, as linked or at run time */
	bool is_recorded;     /* the bytes are in the recording */
};

/*
 * Reads up to QUERY->size bytes from QUERY->place on to OUT. Returns the number
 * of bytes read; 0 if no source has them.
 */
size_t code_bytes_read(struct code_bytes *codes, const struct code_query *query,
	uint8_t *out, struct code_facts *ret);

/*
 * The section "code" (doc/format.md): the machine code of the functions that
 * samples hit, by DSO, for disassembly where the DSO is missing. Places are
 * file offsets, or the addresses that replace them, as in symbols.
 */
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
