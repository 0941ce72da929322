/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small ELF file for x86-64 with code, a build ID, and symbol tables: what a
 * report finds on a machine where a recorded program is installed.
 */
#ifndef DWELL_FUZZ_PROGRAM_H
#define DWELL_FUZZ_PROGRAM_H

#include "common/util/strbuf.h"

#define PROGRAM_CODE UINT64_C(0x1000) /* address and file offset */
#define PROGRAM_CODE_SIZE UINT64_C(0x1000)
#define PROGRAM_FUNCTION_SIZE UINT64_C(0x80)

struct program {
	uint64_t base; /* added to all addresses */
	uint8_t id;    /* each byte of the build ID; 0: no build ID */
	const char *const *functions; /* of .symtab, one after another; NULL:
				       * no .symtab */
	const char *const *exported;  /* of .dynsym; NULL: no .dynsym */
	const char *debuglink;	      /* NULL: none */
};

/* Appends the file to OUT, which is empty. */
void program_write(const struct program *program, struct strbuf *out);

#endif
