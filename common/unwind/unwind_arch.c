/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/unwind_arch.h"

#include <elf.h>

const struct unwind_numbers unwind_numbers[] = {
	[UNWIND_NONE] = { 0 },
	[UNWIND_X86_64] = { .fp = 6, .sp = 7, .ra = 16, .word_size = 8 },
	[UNWIND_AARCH64] = { .fp = 29, .sp = 31, .ra = 30, .word_size = 8 },
	[UNWIND_I386] = { .fp = 5, .sp = 4, .ra = 8, .word_size = 4 },
};

enum unwind_arch unwind_arch_of_elf(unsigned machine)
{
	switch (machine) {
	case EM_X86_64: return UNWIND_X86_64;
	case EM_AARCH64: return UNWIND_AARCH64;
	case EM_386: return UNWIND_I386;
	}
	return UNWIND_NONE;
}

enum unwind_arch unwind_arch_of_name(const char *machine)
{
	if (string_is(machine, "x86_64"))
		return UNWIND_X86_64;
	if (string_starts(machine, "aarch64"))
		return UNWIND_AARCH64;
	if (strlen(machine) == 4 && machine[0] == 'i' &&
		string_is(machine + 2, "86"))
		return UNWIND_I386;
	return UNWIND_NONE;
}

/*
 * Opcode bits in the second byte of instructions that begin with FF (Intel SDM
 * volume 2, CALL and JMP).
 */
#define CALL_RM 2u
#define JMP_RM 4u

/*
 * Returns the length of the instruction FF /OPCODE, by its second byte MODRM
 * (Intel SDM volume 2, 2.1.3), or 0 if MODRM has another opcode.
 */
static size_t indirect_length(uint8_t modrm, unsigned opcode)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;
	size_t length = 2;

	if ((modrm >> 3 & 7) != opcode)
		return 0;
	if (mod != 3 && rm == 4)
		length++;
	if (mod == 1)
		return length + 1;
	if (mod == 2 || (!mod && rm == 5))
		return length + 4;
	return length;
}

static bool ends_with_indirect_call(
	const uint8_t *end, size_t n, unsigned opcode)
{
	size_t length;

	for (length = 2; length <= MIN(n, (size_t)UNWIND_CALLS_BYTES); length++)
		if (end[-(ssize_t)length] == 0xff &&
			indirect_length(end[1 - (ssize_t)length], opcode) ==
				length)
			return true;
	return false;
}

bool unwind_ends_with_call(
	enum unwind_arch arch, const uint8_t *bytes, size_t n)
{
	switch (arch) {
	case UNWIND_X86_64:
	case UNWIND_I386: {
		const uint8_t *end = bytes + n;

		return (n >= 5 && end[-5] == 0xe8) ||
			ends_with_indirect_call(end, n, CALL_RM);
	}
	case UNWIND_AARCH64: {
		uint32_t word;

		if (n < sizeof(word))
			return false;
		memcpy(&word, (bytes + n) - sizeof(word), sizeof(word));
		/*
		 * BL, BLR and the authenticating forms of BLR (Arm ARM C6.2:
		 * BL, BLR, BLRAA).
		 */
		return (word & 0xfc000000) == 0x94000000 ||
			(word & 0xfefff000) == 0xd63f0000;
	}
	default: return false;
	}
}

bool unwind_ends_with_jump(
	enum unwind_arch arch, const uint8_t *bytes, size_t n)
{
	return arch == UNWIND_X86_64 &&
		ends_with_indirect_call(bytes + n, n, JMP_RM);
}
