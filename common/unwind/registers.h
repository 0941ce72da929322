/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of sampled registers. Each architecture numbers the bits of
 * sample_regs_user and sample_regs_intr in its own way (linux,
 * arch/ARCH/include/uapi/asm/perf_regs.h). The names are the names that perf
 * shows.
 */
#ifndef DWELL_COMMON_UNWIND_REGISTERS_H
#define DWELL_COMMON_UNWIND_REGISTERS_H

#include "common/util/base.h"

/*
 * The registers of one architecture, by bit; NULL: no register. A name at
 * several bits is one register of more than 64 bits.
 */
struct registers {
	const char *const *names;
	unsigned n; /* at most 64 */
	/* mask of registers that only some machines can sample */
	uint64_t extended;
};

/*
 * Returns the registers of MACHINE, a name as in uname(2) and in the ARCH
 * feature section. The result has no registers if MACHINE is unknown.
 */
struct registers registers_of(const char *machine);

/*
 * Returns the name of the register at BIT of the mask, or NULL if there is
 * none.
 */
const char *registers_name(const struct registers *registers, unsigned bit);
/*
 * Returns the mask of the registers that every machine of the architecture can
 * sample.
 */
uint64_t registers_all(const struct registers *registers);
/*
 * Returns the mask of the register NAME, in upper or lower case, or 0 if there
 * is no such register.
 */
uint64_t registers_find(
	const struct registers *registers, const char *name, size_t length);

#endif
