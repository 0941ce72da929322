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
	case EM_X86_64:
		return UNWIND_X86_64;
	case EM_AARCH64:
		return UNWIND_AARCH64;
	case EM_386:
		return UNWIND_I386;
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
