/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made code of one process that was hit, and the names that its addresses have:
 * where several codes lay at one address, those of the last one, or each for
 * its time. Whoever reads a jitdump or a perf map puts all codes in, in the
 * order of the file; those that weren't hit are left out.
 *
 * Files are hostile: neither memory nor work grows beyond a bound.
 */
#ifndef DWELL_RECORD_SYMBOLS_JIT_CODE_NAMES_H
#define DWELL_RECORD_SYMBOLS_JIT_CODE_NAMES_H

#include "common/file/jit_section.h"

/* Real processes stay far below. */
#define CODES_MAX 1000000u
#define CODES_WORK_MAX (UINT64_C(1) << 28)

struct code {
	uint64_t start, end;
	uint64_t time, index; /* of a jitdump */
	size_t order;         /* among all */
	size_t name;          /* offset into names */
	bool is_moved;        /* its name is that of its index */
	bool is_timed;        /* another one had some of its addresses */
};

/* A zeroed one is empty. */
struct codes {
	uint64_t work;          /* steps, to be bounded by CODES_WORK_MAX */
	ARRAY(uint64_t) places; /* sorted; each but once */
	ARRAY(size_t) last;     /* by place: 1 + the last code there; 0: none */
	ARRAY(struct code) list;
	struct strbuf names;
	struct jit_process found; /* what was emitted */
};

void codes_deinit(struct codes *codes);

/* ADDRESS was hit; ascending. A caller's is where it goes on: maybe behind. */
void codes_hit(struct codes *codes, uint64_t address);

/* Adds NEW, unless it wasn't hit, and copies its NAME; false: no more fit. */
bool codes_add(
	struct codes *codes, const struct code *new, const char *name);

/* Which is the last code at each place: for the two that follow. */
void codes_find_last(struct codes *codes);
/* Emits the last ones, cut where they overlap. */
void codes_emit_last(struct codes *codes, enum jit_source source);
/* Forgets all codes, and the places that they are at. */
void codes_forget_covered(struct codes *codes);

/* Emits each, with its time where it shared addresses; they change order. */
void codes_emit_timed(struct codes *codes);

#endif
