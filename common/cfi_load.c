/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sections of an ELF file with CFI. */
#include "config.h"

#include "common/cfi_private.h"

static void load_section(
	struct elf_file *file, const char *name, struct cfi_section *ret)
{
	struct elf_section section;

	if (ret->size ||
		!elf_file_section(file, name, CFI_SECTION_MAX, &section))
		return;
	ret->at = section.at;
	ret->size = section.size;
	ret->address = section.address;
}

void cfi_load(struct elf_file *file, struct elf_file *debug,
	struct cfi_source *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->arch = unwind_arch_of_elf(elf_file_machine(file));
	ret->debug_frame.is_debug = true;
	if (ret->arch == UNWIND_NONE ||
		!elf_file_code(file, &ret->start, &ret->end))
		return;
	elf_file_is_relocated(file, &ret->entry);
	load_section(file, ".eh_frame", &ret->eh_frame);
	load_section(file, ".debug_frame", &ret->debug_frame);
	if (debug)
		load_section(debug, ".debug_frame", &ret->debug_frame);
	ret->eh_frame.data = elf_file_section_address(file, ".eh_frame_hdr");
	ret->eh_frame.text = elf_file_section_address(file, ".text");
}
