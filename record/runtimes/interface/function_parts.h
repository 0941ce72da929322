/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the parts of a function of a runtime. A compiler can move rarely used code away
 * ("NAME.cold"), and stripped files have a symbol for the first part only. In some builds,
 * the other part has nearly all code.
 */
#ifndef DWELL_RECORD_RUNTIMES_INTERFACE_FUNCTION_PARTS_H
#define DWELL_RECORD_RUNTIMES_INTERFACE_FUNCTION_PARTS_H

#include "common/elf/elf.h"
#include "record/runtimes/interface/interpreter.h"
#include "record/runtimes/interface/module_symbols.h"

/* Linked addresses. */
struct function_parts {
	struct address_range ranges[INTERPRETER_RANGES_MAX];
	size_t n;
};

/*
 * Finds the parts of FUNCTION: its symbol, and each other FDE of .eh_frame with
 * a jump from there into the FDE, and one back into the middle. On other
 * processors than x86-64, there is one part. A symbol without size has none.
 */
void function_parts_find(struct elf_file *file,
	const struct module_symbol *function, struct function_parts *ret);
/*
 * Writes the FDEs of .eh_frame with several indirect jumps to RET, in a process
 * with addresses that are BIAS higher: an interpreter jumps from instruction to
 * instruction. x86-64 only. Returns their number, at most ROOM.
 */
size_t function_parts_dispatchers(struct elf_file *file, uint64_t bias,
	struct address_range *ret, size_t room);
/* Sets the ranges of RET, in a process with addresses that are BIAS higher. */
void function_parts_put(const struct function_parts *parts, uint64_t bias,
	struct interpreter *ret);

#endif
