/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether an address stands behind a call: what is taken for a return address
 * and doesn't is none. (What does may still be an old one.)
 */
#ifndef DWELL_COMMON_UNWIND_CALLS_H
#define DWELL_COMMON_UNWIND_CALLS_H

#include "common/unwind/unwind_arch.h"

/* The longest form of a call that is looked at. */
#define CALLS_BYTES 7u

/* BYTES are the N before the address; of CALLS_BYTES, or what there is. */
bool calls_end_here(enum unwind_arch arch, const uint8_t *bytes, size_t n);
/*
 * Whether they end with a jump to an address from a register or from memory.
 * Interpreters (HotSpot's) push where to return to, and jump; only x86-64's.
 */
bool calls_jump_ends_here(
	enum unwind_arch arch, const uint8_t *bytes, size_t n);

#endif
