/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "jit" section: names of the JIT code that samples hit, by process and
 * address. doc/format.md describes the layout.
 *
 * If two JIT codes of a process had the same address at different times, each
 * of the two has a *place*: an address range that no other code uses, which
 * stands for the code's real addresses from its load time on. The recorder
 * assigns places only to such JIT codes. All other JIT codes are found by their
 * real addresses.
 */
#ifndef DWELL_COMMON_FILE_JIT_SECTION_H
#define DWELL_COMMON_FILE_JIT_SECTION_H

#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define JIT_SECTION_VERSION 1u

enum jit_source {
	JIT_PERFMAP,
	JIT_DUMP,
};

struct jit_symbol {
	uint64_t start, size; /* address range of the code */
	/*
	 * load time in ns on the recording's clock; 0: the code is found by its
	 * address and .place is unused
	 */
	uint64_t since;
	/* start of the address range that only this code of the process uses */
	uint64_t place;
	enum jit_source source;
	uint32_t name; /* offset of the name in process->names */
};

struct jit_process {
	uint32_t pid;
	ARRAY(struct jit_symbol) symbols;
	struct strbuf names;
};

struct jit_section {
	ARRAY(struct jit_process) processes;
};

void jit_process_deinit(struct jit_process *process);
void jit_section_deinit(struct jit_section *jit);

/*
 * Adds a copy of NEW, with a copy of NAME as its name, to the symbols of
 * PROCESS.
 */
void jit_process_add(struct jit_process *process, const struct jit_symbol *new,
	const char *name);
const char *jit_symbol_name(
	const struct jit_process *process, const struct jit_symbol *symbol);
/*
 * Returns the JIT symbols of process PID, borrowed from JIT, or NULL if JIT has
 * no symbols of PID.
 */
struct jit_process *jit_section_find(
	const struct jit_section *jit, uint32_t pid);

void jit_section_write(const struct jit_section *jit, struct strbuf *out);
/*
 * Reads B, the content of a "jit" section, into RET. Returns false, with an
 * empty RET, if the section is damaged.
 */
bool jit_section_read(struct bytes b, struct jit_section *ret);

#endif
