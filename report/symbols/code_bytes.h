/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads machine code of a recording's functions for disassembly. The bytes come
 * from the recording (packed_code.h), from the DSO's file if it is proven to be
 * the recorded one, from vmlinux, or from a jitdump. There are no bytes of
 * kernel modules, of BPF programs, and of JIT code that has only a perf map.
 * The kernel patches its code at run time (tracing, mitigations); vmlinux has
 * the code as linked. Not thread-safe.
 */
#ifndef DWELL_REPORT_SYMBOLS_CODE_BYTES_H
#define DWELL_REPORT_SYMBOLS_CODE_BYTES_H

#include "report/symbols/files.h"

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

#endif
