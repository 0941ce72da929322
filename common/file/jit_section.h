/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "jit" section: names of the code that was made at run time and hit, by
 * process and address. Layout in doc/format.md.
 *
 * Where two codes lay at one address, one after the other, each has a *place*
 * of its own, and is mapped there since when it was there. The recorder finds
 * them out; all others are told by their address alone.
 */
#ifndef DWELL_COMMON_FILE_JIT_SECTION_H
#define DWELL_COMMON_FILE_JIT_SECTION_H

#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

#define JIT_VERSION 1u

enum jit_source {
	JIT_PERFMAP,
	JIT_DUMP,
};

struct jit_symbol {
	uint64_t start, size; /* addresses */
	uint64_t since;       /* time of the recording; 0: by address alone */
	uint64_t place;       /* within its process; of no meaning if since 0 */
	enum jit_source source;
	uint32_t name;        /* offset into the process's names */
};

struct jit_process {
	uint32_t pid;
	ARRAY(struct jit_symbol) symbols;
	struct strbuf names;
};

struct jit {
	ARRAY(struct jit_process) processes;
};

void jit_process_deinit(struct jit_process *process);
void jit_deinit(struct jit *jit);

/* NEW without its name, which is copied. */
void jit_add(struct jit_process *process, const struct jit_symbol *new,
	const char *name);
const char *jit_name(
	const struct jit_process *process, const struct jit_symbol *symbol);
/* NULL if there is nothing of PID. */
struct jit_process *jit_find(const struct jit *jit, uint32_t pid);

void jit_write(const struct jit *jit, struct strbuf *out);
/* False on damage; RET is then empty. */
bool jit_read(struct bytes b, struct jit *ret);

#endif
