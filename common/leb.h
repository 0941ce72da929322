/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of seven bits a byte, lowest first (DWARF 5, 7.6), out of a cursor.
 * Bits beyond the 64th are dropped; a number without an end fails.
 */
#ifndef DWELL_LEB_H
#define DWELL_LEB_H

#include "common/bytes.h"

static inline uint64_t bytes_uleb(struct bytes *b)
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
	return value;
}

static inline int64_t bytes_sleb(struct bytes *b)
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
	if (byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

#endif
