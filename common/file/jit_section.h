/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "jit" section: names of the JIT code that samples hit, by process and
 * address. doc/format.md describes the layout.
 *
 * If two codes were at one address at different times, each has a *place*: an
 * address range of its own, which is mapped to its real address from its load
 * time on. The recorder assigns places to such codes only; others are found by
 * address.
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
	uint64_t start, size; /* addresses */
	/* load time, on the recording's clock; 0: found by address */
	uint64_t since;
	/* address in its process's places; unused if since is 0 */
	uint64_t place;
	enum jit_source source;
	uint32_t name;        /* offset in process->names */
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

/* Adds a copy of NEW with NAME, which is copied. */
void jit_process_add(struct jit_process *process, const struct jit_symbol *new,
	const char *name);
const char *jit_symbol_name(
	const struct jit_process *process, const struct jit_symbol *symbol);
/* Returns NULL if the section has nothing about PID. */
struct jit_process *jit_section_find(
	const struct jit_section *jit, uint32_t pid);

void jit_section_write(const struct jit_section *jit, struct strbuf *out);
/* Returns false, and an empty RET, if the section is damaged. */
bool jit_section_read(struct bytes b, struct jit_section *ret);

#endif
