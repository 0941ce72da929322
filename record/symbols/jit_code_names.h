/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JIT code of one process that was sampled, and the names of its addresses. If
 * several codes had the same address, either the last one is used, or each one
 * for its time. The caller adds all codes in the order of the file; codes
 * without samples are dropped.
 *
 * Files are hostile: memory and work are bounded.
 */
#ifndef DWELL_RECORD_SYMBOLS_JIT_CODE_NAMES_H
#define DWELL_RECORD_SYMBOLS_JIT_CODE_NAMES_H

#include "common/file/jit_section.h"

/* Real processes have far fewer. */
#define CODES_MAX 1000000u
#define CODES_WORK_MAX (UINT64_C(1) << 28)

struct code {
	uint64_t start, end;
	uint64_t time, index; /* of the jitdump record */
	size_t order;	      /* position in the file */
	size_t name;	      /* offset in NAMES */
	bool is_moved;	      /* moved code: it has the name of its index */
	bool is_timed;	      /* other code used some of its addresses */
};

/* A zero-initialized struct is empty. */
struct codes {
	uint64_t work; /* number of steps, limited by CODES_WORK_MAX */
	ARRAY(uint64_t)
	places; /* sampled addresses, sorted, without duplicates */
	ARRAY(size_t)
	last; /* for each place: 1 + index of the last code there; 0: none */
	ARRAY(struct code) list;
	struct strbuf names;
	struct jit_process found; /* the emitted symbols */
};

void codes_deinit(struct codes *codes);

/*
 * Adds a sampled ADDRESS and the byte before it, because a return address can
 * be behind its caller. Addresses must ascend.
 */
void codes_add_address(struct codes *codes, uint64_t address);

/*
 * Adds NEW with a copy of NAME, unless it has no samples. Returns false if
 * there is no space for more.
 */
bool codes_add(struct codes *codes, const struct code *new, const char *name);

/* Finds the last code at each place, for the next two functions. */
void codes_find_last(struct codes *codes);
/* Emits the last code of each place; overlapping codes are cut. */
void codes_emit_last(struct codes *codes, enum jit_source source);
/* Removes all codes and the places that they cover. */
void codes_remove_covered(struct codes *codes);

/*
 * Emits all codes, with a start time for those that share addresses. Changes
 * their order.
 */
void codes_emit_timed(struct codes *codes);

#endif
