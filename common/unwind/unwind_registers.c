/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of samples, which perf numbers in its own way. */
#include "config.h"

#include "common/unwind/unwind.h"

#define NO 0xff
#define PC 0xfe

/* By bit of the mask: the DWARF number. */
static const uint8_t x86_64_numbers[] = { 0, 3, 2, 1, 4, 5, 6, 7, PC, NO, NO,
	NO, NO, NO, NO, NO, 8, 9, 10, 11, 12, 13, 14, 15 };
static const uint8_t i386_numbers[] = { 0, 3, 1, 2, 6, 7, 5, 4, PC };
static const uint8_t aarch64_numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
	30, 31, PC };

static const struct {
	const uint8_t *numbers;
	unsigned n;
} table[] = {
	[UNWIND_NONE] = { NULL, 0 },
	[UNWIND_X86_64] = { x86_64_numbers, ARRAY_SIZE(x86_64_numbers) },
	[UNWIND_AARCH64] = { aarch64_numbers, ARRAY_SIZE(aarch64_numbers) },
	[UNWIND_I386] = { i386_numbers, ARRAY_SIZE(i386_numbers) },
};

bool unwind_registers_read(enum unwind_arch arch, uint64_t mask,
	const void *registers, struct unwind_registers *ret)
{
	const uint8_t *at = registers;
	bool has_pc = false;
	unsigned bit;

	memset(ret, 0, sizeof(*ret));
	for (bit = 0; bit < table[arch].n; bit++) {
		uint8_t n = table[arch].numbers[bit];
		uint64_t value;

		if (!(mask >> bit & 1))
			continue;
		memcpy(&value, at, sizeof(value));
		at += sizeof(value);
		if (n == PC) {
			ret->pc = value;
			has_pc = true;
		} else if (n != NO) {
			ret->value[n] = value;
			ret->known |= UINT64_C(1) << n;
		}
	}
	return has_pc && ret->known >> unwind_numbers[arch].sp & 1;
}

uint64_t unwind_registers_mask(enum unwind_arch arch)
{
	uint64_t mask = 0;
	unsigned bit;

	for (bit = 0; bit < table[arch].n; bit++)
		if (table[arch].numbers[bit] != NO)
			mask |= UINT64_C(1) << bit;
	return mask;
}
