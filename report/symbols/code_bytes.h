/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of a recording's code, for those who disassemble: those that the
 * recording has (packed_code.h), or else those of the DSO's file, if it is the
 * recorded one for certain, of the recorded kernel's vmlinux, or of a jitdump.
 * Nobody has those of modules, of BPF programs, and of made code that only a perf
 * map tells of. The kernel changes its code while it runs (tracing, mitigations):
 * a vmlinux has it as it was linked. For one thread.
 */
#ifndef DWELL_REPORT_SYMBOLS_CODE_BYTES_H
#define DWELL_REPORT_SYMBOLS_CODE_BYTES_H

#include "report/symbols/files.h"

/* Of one function no more is asked for, nor packed. */
#define CODE_BYTES_MAX MIB(1)

struct code_bytes;

/* FILES is borrowed for the life of what is returned. */
struct code_bytes *code_bytes_create(struct files *files);
/* NULL is fine. */
void code_bytes_destroy(struct code_bytes *codes);

struct code_wish {
	uint32_t dso;   /* a number of survey->maps */
	uint64_t place; /* as symbols have it: an offset in the file; of the
			 * kernel and of made code as it ran */
	size_t size;
};

struct code_facts {
	struct elf_kind kind; /* 0: as the recording's header tells */
	uint64_t address;     /* of the first byte as it is linked, or as it ran */
	bool is_recorded;     /* the recording has them */
};

/*
 * As many bytes of WISH as there are from its place on, to OUT; how many these
 * are. 0: nobody has them.
 */
size_t code_bytes_read(struct code_bytes *codes, const struct code_wish *wish,
	uint8_t *out, struct code_facts *ret);

#endif
