/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sections of an ELF file with CFI. */
#include "config.h"

#include "common/alloc.h"
#include "common/cfi_private.h"

/* Where the bytes go; they are the caller's, as FILE may be closed. */
static void load_section(struct elf_file *file, const char *name,
	struct cfi_section *ret, uint8_t **bytes_ret)
{
	struct elf_section section;

	if (ret->size ||
		!elf_file_section(file, name, CFI_SECTION_MAX, &section) ||
		!section.size)
		return;
	*bytes_ret = xmemdup(section.at, section.size);
	ret->at = *bytes_ret;
	ret->size = section.size;
	ret->address = section.address;
}

void cfi_load(struct elf_file *file, struct elf_file *debug,
	struct cfi_sections *ret)
{
	struct cfi_source *source = &ret->source;

	memset(ret, 0, sizeof(*ret));
	source->arch = unwind_arch_of_elf(elf_file_machine(file));
	source->debug_frame.is_debug = true;
	if (source->arch == UNWIND_NONE ||
		!elf_file_code(file, &source->start, &source->end))
		return;
	elf_file_is_relocated(file, &source->entry);
	load_section(file, ".eh_frame", &source->eh_frame, &ret->eh_frame);
	load_section(
		file, ".debug_frame", &source->debug_frame, &ret->debug_frame);
	if (debug)
		load_section(debug, ".debug_frame", &source->debug_frame,
			&ret->debug_frame);
	source->eh_frame.data =
		elf_file_section_address(file, ".eh_frame_hdr");
	source->eh_frame.text = elf_file_section_address(file, ".text");
}

void cfi_sections_deinit(struct cfi_sections *sections)
{
	cfi_source_deinit(&sections->source);
	free(sections->eh_frame);
	free(sections->debug_frame);
	memset(sections, 0, sizeof(*sections));
}
