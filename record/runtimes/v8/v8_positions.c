/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_positions.h"

#include "common/util/bytes.h"

/*
 * Bits of a source position. Bit 0 is set if the position is in another file. From bit
 * 1 on, 30 bits are 1 + the offset in the script. From bit 31 on, 16 bits are 1 + the
 * number of the inlined call.
 */
#define POSITION_EXTERNAL 1u
#define POSITION_OFFSET_SHIFT 1
#define POSITION_OFFSET_MASK 0x3fffffffu
#define POSITION_INLINING_SHIFT 31
#define POSITION_INLINING_MASK 0xffffu

struct v8_position v8_position_of(uint64_t value)
{
	struct v8_position position = { 0, 0 };

	position.inlining = (uint32_t)(value >> POSITION_INLINING_SHIFT) &
		POSITION_INLINING_MASK;
	if (!(value & POSITION_EXTERNAL))
		position.offset = (uint32_t)(value >> POSITION_OFFSET_SHIFT) &
			POSITION_OFFSET_MASK;
	return position;
}

/* Reads a number of at most 10 bytes. Bit 0 is its sign. */
static int64_t take_signed(struct bytes *table)
{
	unsigned bits;
	uint8_t last;
	uint64_t value = bytes_leb(table, &bits, &last);

	table->ok &= bits <= 70;
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

struct v8_position v8_positions_find(
	const uint8_t *table, size_t size, uint64_t offset)
{
	struct bytes bytes = bytes_of(table, size, false);
	uint64_t code = UINT64_MAX; /* the code offset starts at -1 */
	uint64_t position = 0;

	while (bytes_left(&bytes)) {
		int64_t step = take_signed(&bytes);
		int64_t change = take_signed(&bytes);

		if (!bytes.ok)
			return (struct v8_position){ 0, 0 };
		code += step >= 0 ? (uint64_t)step : ~(uint64_t)step;
		if (code != UINT64_MAX && code > offset)
			break;
		position += (uint64_t)change;
	}
	return v8_position_of(position);
}
