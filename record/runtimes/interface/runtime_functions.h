/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of language runtimes, such as Java methods, and their addresses in call
 * chains. The code of such a function has no constant address: the function is
 * interpreted, or its compiled code moves. The recorder therefore assigns a range of
 * addresses to each function, in a part of the address space that no process can use.
 * An address in the range stands for a source line of the function:
 *
 *   RUNTIME_BASE(runtime) + (number << 12) + (1 + line - first line) * 2 + 1
 *
 * The byte before such an address stands for the same line, because readers look up a
 * caller at its return address - 1. The first two bytes of the range stand for an
 * unknown line.
 *
 * Thread-safe.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_RUNTIME_FUNCTIONS_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_RUNTIME_FUNCTIONS_H

#include "common/util/base.h"

/*
 * User space ends at 2^56 on x86-64 with five levels of page tables
 * (Documentation/arch/x86/x86_64/mm.rst of Linux), and at lower addresses on all other
 * processors.
 */
#define RUNTIME_RANGE_START (UINT64_C(1) << 57)
#define RUNTIME_RANGE_SIZE (UINT64_C(1) << 48)
#define RUNTIME_BASE(runtime) \
	(RUNTIME_RANGE_START + (uint64_t)(runtime)*RUNTIME_RANGE_SIZE)
#define RUNTIME_FUNCTION_SHIFT 12u
#define RUNTIME_FUNCTION_SIZE (UINT64_C(1) << RUNTIME_FUNCTION_SHIFT)

/* Returns true if ADDRESS stands for a function of a runtime. */
static inline bool runtime_has_address(uint64_t address)
{
	return address - RUNTIME_RANGE_START < UINT64_C(1) << 56;
}

struct runtime_functions;

struct runtime_functions *runtime_functions_create(void);
void runtime_functions_destroy(struct runtime_functions *functions);

/*
 * A function. The texts of a result are borrowed until runtime_functions_destroy().
 */
struct runtime_function {
	unsigned runtime;
	const char *name;
	const char *file;    /* path of the source file; "": unknown */
	uint32_t first_line; /* 0: unknown */
};

/*
 * Returns the number of FUNCTION. A new function is copied. After 1,000,000 functions
 * or 256 MiB of texts, all new functions have the number 0, with the name
 * "[functions above dwell's limit]".
 */
uint32_t runtime_functions_add(struct runtime_functions *functions,
	const struct runtime_function *function);
/*
 * Returns the address for LINE of function NUMBER of RUNTIME. A line is unknown if it
 * is 0, before the first line, or more than 2,046 lines after the first line.
 */
uint64_t runtime_function_address(struct runtime_functions *functions,
	unsigned runtime, uint32_t number, uint32_t line);

/*
 * Finds the function and the line of PLACE, an address minus RUNTIME_BASE(RUNTIME).
 * *LINE_RET is 0 if the line is unknown. Returns false if there is no such function.
 */
bool runtime_functions_find(struct runtime_functions *functions,
	unsigned runtime, uint64_t place, struct runtime_function *ret,
	uint32_t *line_ret);

#endif
