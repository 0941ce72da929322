/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks if the instruction before an address is a call. An address without a
 * call before it is not a return address. An address with a call before it may
 * still be a stale return address.
 */
#ifndef DWELL_COMMON_UNWIND_CALLS_H
#define DWELL_COMMON_UNWIND_CALLS_H

#include "common/unwind/unwind_arch.h"

/* Length of the longest form of a call that is recognized. */
#define CALLS_BYTES 7u

/*
 * Return true if the instruction before an address is a call. BYTES are the N
 * bytes before the address: CALLS_BYTES, or fewer at the start of a mapping.
 */
bool calls_ends_with_call(
	enum unwind_arch arch, const uint8_t *bytes, size_t n);
/*
 * Returns true if the instruction is a jump to an address in a register or in
 * memory. Some interpreters (HotSpot's) push the return address and jump. Only
 * x86-64.
 */
bool calls_ends_with_jump(
	enum unwind_arch arch, const uint8_t *bytes, size_t n);

#endif
