/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled JavaScript. Finds V8's Code object of an address, and the functions at the
 * address, including those inlined there. V8 has no list of code that another process
 * can read. The module searches for the object before the instructions, which it
 * recognizes by its Map.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_CODE_H
#define DWELL_RECORD_RUNTIMES_V8_V8_CODE_H

#include "record/runtimes/interface/runtime.h"
#include "record/runtimes/v8/v8_functions.h"

/* The number of kept places is a power of two. */
#define V8_PLACES 1024u
/* Limit of the functions of a kept place. */
#define V8_PLACE_FUNCTIONS 12u
/* Limit of Maps of instruction objects. Each isolate has one. */
#define V8_CODE_MAPS 16u
/* The number of kept pages without code of V8 is a power of two. */
#define V8_MISSES 256u

/* CodeKind::REGEXP of V8 10 to 13, src/objects/code-kind.h. */
#define V8_KIND_REGEXP 3u

/* Compiled code. */
struct v8_code {
	uint64_t start; /* of the instructions */
	uint32_t size;	/* of the instructions in bytes */
	uint32_t kind;
	/* the instruction object, which contains the instructions, and its Map word */
	uint64_t stream, map;
	uint64_t code;		   /* Code object */
	uint64_t deopt, positions; /* words of the Code object */
	uint64_t epoch;		   /* of the last comparison with the heap */
	uint32_t serial;	   /* unique number, from 1 */
};

struct v8_codes {
	struct v8_functions *functions; /* borrowed */
	ARRAY(struct v8_code) list;	/* sorted by .start, without overlaps */
	uint64_t maps[V8_CODE_MAPS];
	size_t n_maps;
	uint32_t last_serial;
	unsigned searches_left; /* in this epoch */
	/* pages without code, which are not searched before .epoch */
	struct v8_miss {
		uint64_t page, epoch;
	} misses[V8_MISSES];
	/* bytecodes of addresses in baseline code */
	struct v8_offset {
		uint64_t pc, bytecode;
		uint32_t serial; /* of the code; 0: the element is empty */
		uint32_t offset;
	} offsets[V8_PLACES];
	/* functions at addresses in optimized code */
	struct v8_place {
		uint64_t pc;
		uint64_t shared;  /* SharedFunctionInfo of the code */
		uint64_t closure; /* of the last frame at .pc */
		uint32_t serial;  /* of the code; 0: the element is empty */
		uint32_t n;
		uint64_t functions[V8_PLACE_FUNCTIONS];
	} places[V8_PLACES];
};

void v8_codes_init(struct v8_codes *codes, struct v8_functions *functions);
void v8_codes_deinit(struct v8_codes *codes);
/*
 * Resets the limit of searches of an epoch. Call after v8_functions_settle(), which
 * starts the epoch: kept code is then compared with the heap before its next use.
 */
void v8_codes_settle(struct v8_codes *codes);

/* Returns the code that contains PC, borrowed until the next call, or NULL. */
const struct v8_code *v8_codes_find(struct v8_codes *codes, uint64_t pc);
/* Returns true if CODE was made by an optimizing compiler. */
bool v8_code_is_optimized(
	const struct v8_codes *codes, const struct v8_code *code);
/*
 * Returns the offset of the bytecode at PC in CODE, or UINT32_MAX if it is unknown. The
 * baseline compiler made CODE from the BytecodeArray at the address BYTECODE.
 */
uint32_t v8_codes_bytecode(struct v8_codes *codes, const struct v8_code *code,
	uint64_t bytecode, uint64_t pc);
/*
 * Writes the functions at PC in CODE, which is optimized, to RET, innermost first.
 * CLOSURE refers to the JSFunction of the frame; 0: unknown. Returns false if the data
 * are not plausible.
 */
bool v8_codes_functions(struct v8_codes *codes, const struct v8_code *code,
	uint64_t closure, uint64_t pc, struct runtime_step *ret);

#endif
