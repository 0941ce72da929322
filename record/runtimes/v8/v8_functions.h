/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JavaScript functions. V8 has a SharedFunctionInfo for each function of a source. The
 * module reads the name, the file and the lines of a SharedFunctionInfo, and adds them
 * to runtime_functions.h.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_FUNCTIONS_H
#define DWELL_RECORD_RUNTIMES_V8_V8_FUNCTIONS_H

#include "record/runtimes/interface/runtime_functions.h"
#include "record/runtimes/v8/v8_scripts.h"

/* The numbers of kept functions, BytecodeArrays and lines are powers of two. */
#define V8_FUNCTIONS 1024u
#define V8_BYTECODES 1024u
#define V8_LINES 2048u

/* Number of words at the start of a BytecodeArray that identify it. */
#define V8_BYTECODE_WORDS 5u

/* A function. */
struct v8_function {
	/* address of the SharedFunctionInfo; 0: the element is empty */
	uint64_t address;
	/* the words of the SharedFunctionInfo that identify it */
	uint64_t map, name, script;
	uint64_t epoch; /* of the last comparison of these words */
	uint32_t number, first_line;
	unsigned n_partial; /* number of failed attempts to read .first_line */
};

struct v8_functions {
	struct v8_heap heap;
	struct runtime_functions *names; /* borrowed for a step */
	struct v8_scripts *scripts;
	uint64_t epoch; /* number of calls of v8_functions_settle() */
	struct v8_function list[V8_FUNCTIONS];
	/* functions by BytecodeArray; these objects move less often than closures */
	struct v8_bytecode {
		uint64_t address; /* 0: the element is empty */
		uint64_t words[V8_BYTECODE_WORDS];
		uint64_t epoch; /* of the last comparison of .words */
		struct v8_function function;
	} bytecodes[V8_BYTECODES];
	/* lines of bytecodes */
	struct v8_line {
		uint64_t table;	 /* position table; 0: the element is empty */
		uint64_t shared; /* SharedFunctionInfo */
		uint32_t offset; /* of the bytecode */
		uint32_t number; /* of the function */
		uint64_t place;	 /* result of v8_functions_address() */
	} lines[V8_LINES];
};

void v8_functions_init(
	struct v8_functions *functions, const struct v8_layout *layout);
void v8_functions_deinit(struct v8_functions *functions);
/* Starts an epoch: kept data are compared with the heap before their next use. */
void v8_functions_settle(struct v8_functions *functions);

/*
 * Returns the function of the SharedFunctionInfo at ADDRESS, borrowed until the next
 * call. Returns NULL if ADDRESS is 0 or the function cannot be read.
 */
const struct v8_function *v8_functions_get(
	struct v8_functions *functions, uint64_t address);
/*
 * Returns the SharedFunctionInfo of the JSFunction to which WORD refers, or 0 if WORD
 * does not refer to a JSFunction.
 */
uint64_t v8_functions_shared(struct v8_functions *functions, uint64_t word);
/* Returns the position for the code or bytecode at OFFSET by the ByteArray TABLE. */
struct v8_position v8_functions_position(
	struct v8_heap *heap, uint64_t table, uint64_t offset);
/*
 * Returns the address (runtime_functions.h) for POSITION in FUNCTION. POSITION is 1 +
 * an offset in the source; 0: unknown.
 */
uint64_t v8_functions_address(struct v8_functions *functions,
	const struct v8_function *function, uint32_t position);
/*
 * Returns the address for a frame of a function that is not optimized. CLOSURE refers
 * to the JSFunction, and BYTECODE to the BytecodeArray. OFFSET is the offset of the
 * bytecode, or UINT32_MAX if it is unknown. Returns 0 if the function cannot be read.
 */
uint64_t v8_functions_unoptimized(struct v8_functions *functions,
	uint64_t closure, uint64_t bytecode, uint32_t offset);

#endif
