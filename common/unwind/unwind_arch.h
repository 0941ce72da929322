/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unwinder must know of a processor: the DWARF numbers of its
 * registers (psABI x86-64 3.6.2, psABI i386 2.5.1, aadwarf64 4.1) and the size
 * of a word. Which one it is says the recording or the file, never the host.
 */
#ifndef DWELL_COMMON_UNWIND_UNWIND_ARCH_H
#define DWELL_COMMON_UNWIND_UNWIND_ARCH_H

#include "common/util/base.h"

enum unwind_arch { UNWIND_NONE, UNWIND_X86_64, UNWIND_AARCH64, UNWIND_I386 };

/* The most that any of them has; all numbers that are looked at are below. */
#define UNWIND_REGISTERS 33u

struct unwind_numbers {
	uint8_t fp, sp;
	uint8_t ra; /* aarch64: lr; the pc itself is nowhere */
	uint8_t word_size;
};

/* By enum unwind_arch; all 0 for UNWIND_NONE. */
extern const struct unwind_numbers unwind_numbers[];

/* MACHINE is an ELF header's e_machine; UNWIND_NONE if it isn't known. */
enum unwind_arch unwind_arch_of_elf(unsigned machine);
/* MACHINE is what uname(2) calls it. */
enum unwind_arch unwind_arch_of_name(const char *machine);

#endif
