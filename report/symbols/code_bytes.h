/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads machine code of a recording for disassembly and for unwinding. The bytes
 * come from the recording (its section "code"), from the DSO's file if it is proven
 * to be the recorded one, from vmlinux, or from a jitdump. No source has the
 * code of kernel modules, of BPF programs, and of JIT code that has only a perf
 * map. The kernel patches its code at run time (tracing, mitigations); vmlinux
 * has the code as linked. Not thread-safe.
 */
#ifndef DWELL_REPORT_SYMBOLS_CODE_BYTES_H
#define DWELL_REPORT_SYMBOLS_CODE_BYTES_H

#include "common/elf/elf.h"
#include "common/file/packed_dsos.h"
#include "report/symbols/files.h"

/* Limit of the code of one function that is read or packed, in bytes. */
#define CODE_BYTES_MAX MIB(1)

struct code_bytes;

/* FILES is borrowed for the life of the result. */
struct code_bytes *code_bytes_create(struct files *files);
/* CODES may be NULL. */
void code_bytes_destroy(struct code_bytes *codes);

struct code_query {
	uint32_t dso;	/* DSO number of survey->maps */
	uint64_t place; /* start of the code: offset in the DSO's file; of the
	                 * kernel and JIT code, an address at run time */
	size_t size;
};

struct code_facts {
	struct elf_kind kind; /* ELF machine, class and byte order; 0: as in the
	                       * recording's header */
	uint64_t address;     /* address of the first byte, as linked; of the
	                       * kernel and JIT code, at run time */
	bool is_recorded;     /* the bytes are in the recording */
};

/*
 * Reads up to QUERY->size bytes of code at QUERY->place into OUT. Returns the
 * number of bytes read; 0 if no source has the code.
 */
size_t code_bytes_read(struct code_bytes *codes, const struct code_query *query,
	uint8_t *out, struct code_facts *ret);

/*
 * The section "code" (doc/format.md): for each DSO, the machine code of the
 * functions that samples hit and of code that unwinding reads, for machines
 * without the DSO's file. A place in the code is a file offset or, for the kernel and JIT code,
 * an address at run time.
 */
#define PACKED_CODE_VERSION 1u

/*
 * Reads the section "code" of a recording; the data of each DSO is a struct
 * code_unit. Returns NULL if the recording has no such section.
 */
struct packed_dsos *code_packed_create(struct reader *reader);
/*
 * Reads the units of SECTION up to the first invalid one. Takes the memory of
 * SECTION, which is empty afterwards.
 */
struct packed_dsos *code_packed_read(struct strbuf *section);

/*
 * A contiguous range of code. All ranges of a DSO are in one struct code_unit,
 * a block of memory without pointers.
 */
struct code_range {
	uint64_t start;	  /* file offset; of the kernel and JIT code a run-time
	                 * address */
	uint64_t address; /* address of the first byte, as linked; of the kernel
		          * and JIT code at run time */
	uint32_t size;
	uint32_t at; /* offset of the range's bytes in the code bytes of the
	              * unit */
};
struct code_unit {
	struct elf_kind kind;
	uint32_t n;
	/*
	 * The struct is followed by .n struct code_range, ascending and
	 * disjoint, and by the code bytes of all ranges.
	 */
};
/* Whether the SIZE bytes at UNIT are a valid struct code_unit. */
bool code_unit_is_valid(const struct code_unit *unit, size_t size);

/*
 * Code in a struct code_unit from a given place to the end of its function.
 * .bytes is borrowed. .size is 0 if there is no code.
 */
struct code_found {
	const uint8_t *bytes;
	size_t size; /* number of bytes up to the end of the function */
	uint64_t address;
};
struct code_found code_unit_find(const struct code_unit *unit, uint64_t place);

/* A struct code_unit under construction. A zero-initialized struct is empty. */
struct code_builder {
	struct elf_kind kind;
	ARRAY(struct code_range) ranges;
	struct strbuf bytes;
};
/*
 * Appends SIZE bytes of code. PLACE, their file offset or run-time address, is
 * behind the code that was added before.
 */
void code_builder_add(struct code_builder *builder, uint64_t place,
	uint64_t address, const void *bytes, size_t size);
/* Appends the struct code_unit to OUT, and empties BUILDER. */
void code_builder_finish(struct code_builder *builder, struct strbuf *out);

#endif
