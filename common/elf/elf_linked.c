/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads data with addresses of a file that is loaded anywhere (PIE, library).
 * The file has the addresses in its relocations, and can have zeros in their
 * places.
 */
#include "config.h"

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/util/alloc.h"
#include "common/util/bytes.h"

/* Limit of the relocations of a file in bytes. */
#define RELOCATIONS_MAX MIB(128)

/*
 * Returns the type of the relocations of MACHINE that add the load address to a
 * number (psABI of each processor), or 0 if the type is not known.
 */
static uint32_t relative_type(unsigned machine)
{
	switch (machine) {
	case EM_X86_64: return R_X86_64_RELATIVE;
	case EM_AARCH64: return R_AARCH64_RELATIVE;
	case EM_S390: return R_390_RELATIVE;
	case EM_PPC64: return R_PPC64_RELATIVE;
	case EM_RISCV: return R_RISCV_RELATIVE;
	default: return 0;
	}
}

bool elf_linked_section(struct elf_file *file, const char *name, uint64_t max,
	struct elf_section *ret, uint8_t **copy_ret)
{
	struct elf_kind kind = elf_file_kind(file);
	struct elf_section relocations;
	uint64_t entry;

	*copy_ret = NULL;
	if (!elf_file_section(file, name, max, ret))
		return false;
	/* 32-bit processors have the numbers in their places. */
	if (kind.class != ELFCLASS64 || !elf_file_is_relocated(file, &entry) ||
		!elf_file_section(
			file, ".rela.dyn", RELOCATIONS_MAX, &relocations))
		return true;
	*copy_ret = xmemdup(ret->at, ret->size);
	uint32_t type = relative_type(kind.machine);
	struct bytes b = bytes_of(
		relocations.at, relocations.size, elf_is_swapped(kind.order));

	while (type && bytes_left(&b) >= sizeof(Elf64_Rela)) {
		uint64_t place = bytes_u64(&b) - ret->address;
		uint64_t info = bytes_u64(&b), number;

		/* In the byte order of the file. */
		memcpy(&number, bytes_take(&b, sizeof(number)), sizeof(number));
		if (ELF64_R_TYPE(info) == type && ret->size >= 8 &&
			place <= ret->size - 8)
			memcpy(*copy_ret + place, &number, sizeof(number));
	}
	ret->at = *copy_ret;
	return true;
}
