/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/x86_size.h"

#define VEX2 0xc5u
#define VEX3 0xc4u
#define EVEX 0x62u
/* The tables of opcodes that prefixes choose: 0f, 0f 38, 0f 3a. */
#define MAP_0F 1u
#define MAP_0F3A 3u

/* Bytes of the prefix and its map of opcodes; 0: it is none. */
static size_t prefix_size(const uint8_t *at, size_t left, unsigned *map_ret)
{
	if (left < 2)
		return 0;
	switch (at[0]) {
	case VEX2: *map_ret = MAP_0F; return 2;
	case VEX3: *map_ret = at[1] & 0x1f; return 3;
	case EVEX: *map_ret = at[1] & 7; return 4;
	default: return 0;
	}
}

static bool has_immediate(unsigned map, uint8_t opcode)
{
	if (map == MAP_0F3A)
		return true;
	return map == MAP_0F &&
		((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
			(opcode >= 0xc4 && opcode <= 0xc6));
}

/* Of ModRM, SIB and displacement. */
static size_t operand_size(const uint8_t *at, size_t left)
{
	unsigned mode = at[0] >> 6, rm = at[0] & 7;
	bool has_sib = mode != 3 && rm == 4;
	size_t size = 1 + has_sib;

	if (has_sib && left < 2)
		return size;
	if (mode == 1)
		size += 1;
	else if (mode == 2 ||
		(mode == 0 && (rm == 5 || (has_sib && (at[1] & 7) == 5))))
		size += 4;
	return size;
}

size_t x86_size(const uint8_t *at, size_t left)
{
	unsigned map = 0;
	size_t prefix = prefix_size(at, left, &map), size;

	/* Behind the opcode ModRM stands always. */
	if (!prefix || left < prefix + 2)
		return 0;
	size = prefix + 1 + operand_size(at + prefix + 1, left - prefix - 1) +
		has_immediate(map, at[prefix]);
	return size <= left ? size : 0;
}
