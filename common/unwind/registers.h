/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the registers that samples carry. Which bit of sample_regs_user and
 * sample_regs_intr is which register is an architecture's own numbering
 * (linux, arch/ARCH/include/uapi/asm/perf_regs.h); names are those that perf
 * shows.
 */
#ifndef DWELL_COMMON_UNWIND_REGISTERS_H
#define DWELL_COMMON_UNWIND_REGISTERS_H

#include "common/util/base.h"

/*
 * The registers of one architecture, by bit; NULL where there is none. A name
 * at several bits is one register that is larger than 64 bits.
 */
struct registers {
	const char *const *names;
	unsigned n; /* at most 64 */
	uint64_t extended; /* those that only some machines of it can sample */
};

/*
 * MACHINE is what uname(2) calls it, as in the ARCH section of a file. Without
 * any registers if it isn't known.
 */
struct registers registers_of(const char *machine);

/* NULL if there is none of that number. */
const char *registers_name(const struct registers *registers, unsigned bit);
/* The mask of all that every machine has. */
uint64_t registers_all(const struct registers *registers);
/* The mask of NAME, in any case; 0 if there is no such register. */
uint64_t registers_find(
	const struct registers *registers, const char *name, size_t length);

#endif
