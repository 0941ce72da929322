/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The codes that one process tells of in its jitdump, by address and time, and
 * how to unwind them. Reads on as the file grows. For whoever unwinds through
 * code that is made at run time; knows neither processes nor who may be
 * believed. Not for several threads at once.
 */
#ifndef DWELL_COMMON_JIT_JITCODES_H
#define DWELL_COMMON_JIT_JITCODES_H

#include "common/jit/jitdump.h"
#include "common/unwind/cfi.h"
#include "common/util/array.h"

/* More codes of one file aren't looked at. */
#define JITCODES_MAX 1000000u

struct jitcode {
	uint64_t start, end;
	uint64_t since; /* on the clock of those who ask; 0: always */
	size_t order;   /* among all: later ones replace */
	size_t told;    /* number of a struct jitcode_told */
	struct cfi *cfi;
	bool is_compiled; /* CFI is there, or there is none */
};

/* What is told of a code once, wherever it lies. */
struct jitcode_told {
	uint64_t index;   /* by which it is moved */
	uint64_t start;   /* where it was loaded */
	uint64_t name_at; /* in the file; 0: none */
	uint64_t code_at, size; /* its bytes; 0: none */
	struct jitdump_unwinding unwinding;
	struct jitdump_debug debug;
};

struct jitcodes;

/* Takes ownership of FD. NULL if it is no jitdump. */
struct jitcodes *jitcodes_create(int fd);
void jitcodes_destroy(struct jitcodes *codes);

/* Whether its times can be told on CLOCK. */
bool jitcodes_has_times(
	const struct jitcodes *codes, const struct jitdump_clock *clock);
/* Reads what is new in the file; true if that is something. */
bool jitcodes_update(
	struct jitcodes *codes, const struct jitdump_clock *clock);
/* Whether the file now ends in the middle of something. */
bool jitcodes_is_cut(const struct jitcodes *codes);
/* How many codes there were at TIME: the same number, the same answers. */
size_t jitcodes_count(const struct jitcodes *codes, uint64_t time);

/* The addresses around the one that was asked for with the same answer. */
struct jitcodes_part {
	uint64_t start, end;
	struct jitcode *code; /* borrowed until the next update; NULL: none */
};
struct jitcodes_part jitcodes_find(
	struct jitcodes *codes, uint64_t address, uint64_t time);
/* Borrowed from CODES; NULL: it has no rules. */
struct cfi *jitcodes_rules(struct jitcodes *codes, struct jitcode *code);

/* All of them, by start and then by order; borrowed until the next update. */
struct jitcode *jitcodes_all(struct jitcodes *codes, size_t *n_ret);
/* The name that a code was loaded with; "" if it has none. */
void jitcodes_name(const struct jitcodes *codes, const struct jitcode *code,
	char name[JITDUMP_NAME_MAX]);
/*
 * The line at OFFSET of CODE, and its file to FILE; false if nobody tells.
 * Where a code was moved to, as where it was loaded.
 */
bool jitcodes_line(const struct jitcodes *codes, const struct jitcode *code,
	uint64_t offset, struct strbuf *file, uint32_t *line_ret);

/*
 * Up to SIZE bytes of CODE, from OFFSET on, to OUT, as they were loaded; how many
 * these are.
 */
size_t jitcodes_read(const struct jitcodes *codes, const struct jitcode *code,
	uint64_t offset, void *out, size_t size);
/* The e_machine of all of them; 0: it isn't told. */
unsigned jitcodes_machine(const struct jitcodes *codes);

#endif
