/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of processors for the unwinder: the DWARF numbers of registers
 * (psABI x86-64 3.6.2, psABI i386 2.5.1, aadwarf64 4.1), the word size, and the
 * call instructions. The recording or the file determines the processor, not
 * the host.
 */
#ifndef DWELL_COMMON_UNWIND_UNWIND_ARCH_H
#define DWELL_COMMON_UNWIND_UNWIND_ARCH_H

#include "common/util/base.h"

enum unwind_arch { UNWIND_NONE, UNWIND_X86_64, UNWIND_AARCH64, UNWIND_I386 };

/*
 * Limit of DWARF register numbers; all registers that are used have lower
 * numbers.
 */
#define UNWIND_REGISTERS 33u

struct unwind_numbers {
	uint8_t fp, sp;
	uint8_t ra; /* return address; aarch64: lr */
	uint8_t word_size;
};

/* Register numbers for each enum unwind_arch; all 0 for UNWIND_NONE. */
extern const struct unwind_numbers unwind_numbers[];

/* Returns the architecture of an ELF e_machine, or UNWIND_NONE. */
enum unwind_arch unwind_arch_of_elf(unsigned machine);
/* Returns the architecture of a machine name in uname(2), or UNWIND_NONE. */
enum unwind_arch unwind_arch_of_name(const char *machine);

/* Bytes of the longest call instruction that is recognized. */
#define UNWIND_CALLS_BYTES 7u

/*
 * Returns true if the instruction before an address is a call. BYTES are the N
 * bytes before the address: UNWIND_CALLS_BYTES, or fewer at the start of a
 * mapping. An address without a call before it is not a return address. An
 * address with a call before it may still be a return address of an earlier
 * call.
 */
bool unwind_ends_with_call(
	enum unwind_arch arch, const uint8_t *bytes, size_t n);
/*
 * Returns true if the instruction that ends the N BYTES before an address is a
 * jump to an address in a register or in memory. Some interpreters (HotSpot's)
 * push the return address and jump. Only x86-64.
 */
bool unwind_ends_with_jump(
	enum unwind_arch arch, const uint8_t *bytes, size_t n);

#endif
