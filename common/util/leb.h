/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads LEB128 numbers (DWARF 5, section 7.6) from a cursor. Bits from 64 on
 * are dropped. If the last byte is missing, the cursor fails.
 */
#ifndef DWELL_COMMON_UTIL_LEB_H
#define DWELL_COMMON_UTIL_LEB_H

#include "common/util/bytes.h"

/*
 * Returns the LEB128 number at B, without sign extension. Sets *SHIFT_RET to
 * the number of bits read and *LAST_RET to the last byte read.
 */
static inline uint64_t bytes_leb(
	struct bytes *b, unsigned *shift_ret, uint8_t *last_ret)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = bytes_u8(b);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	*shift_ret = shift;
	*last_ret = byte;
	return value;
}

static inline uint64_t bytes_uleb(struct bytes *b)
{
	unsigned shift;
	uint8_t last;

	return bytes_leb(b, &shift, &last);
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	unsigned shift;
	uint8_t last;
	uint64_t value = bytes_leb(b, &shift, &last);

	if (last & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

#endif
