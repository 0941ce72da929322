/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sections of an ELF file with CFI. */
#include "config.h"

#include "common/unwind/cfi.h"
#include "common/unwind/cfi_private.h"

/*
 * Of compilers' code a tenth as much is CFI. Where it is this much less, most
 * is elsewhere, or nowhere.
 */
#define CODE_PER_CFI 64u
/* What the start files bring, whatever the rest is built with. */
#define CFI_OF_START KIB(1)

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

/* A file that has lost its section headers runs, and can be unwound. */
static void load_frames(struct elf_file *file, struct cfi_source *ret)
{
	struct elf_section section;
	uint64_t hdr;

	load_section(file, ".eh_frame", &ret->eh_frame);
	ret->eh_frame.data = elf_file_section_address(file, ".eh_frame_hdr");
	ret->eh_frame.text = elf_file_section_address(file, ".text");
	if (ret->eh_frame.size ||
		!elf_file_frames(file, CFI_SECTION_MAX, &section, &hdr))
		return;
	ret->eh_frame = (struct cfi_section){ .at = section.at,
		.size = section.size, .address = section.address,
		.data = hdr };
}

/* Unpacking takes its time, and seldom brings any. */
static bool is_sparse(const struct cfi_source *source)
{
	size_t size = source->eh_frame.size + source->debug_frame.size;

	return size < CFI_OF_START ||
		size < (source->end - source->start) / CODE_PER_CFI;
}

/* False: there can't be any. */
static bool load_own(struct elf_file *file, struct cfi_source *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->arch = unwind_arch_of_elf(elf_file_machine(file));
	ret->debug_frame.is_debug = true;
	if (ret->arch == UNWIND_NONE ||
		!elf_file_code(file, &ret->start, &ret->end))
		return false;
	elf_file_is_relocated(file, &ret->entry);
	load_frames(file, ret);
	load_section(file, ".debug_frame", &ret->debug_frame);
	return true;
}

bool cfi_is_sparse(struct elf_file *file)
{
	struct cfi_source source;

	return load_own(file, &source) && is_sparse(&source);
}

void cfi_load(struct elf_file *file, struct elf_file *debug,
	struct cfi_source *ret)
{
	struct elf_file *inner;

	if (!load_own(file, ret))
		return;
	if (debug)
		load_section(debug, ".debug_frame", &ret->debug_frame);
	inner = is_sparse(ret) ? elf_file_debugdata(file) : NULL;
	if (inner)
		load_section(inner, ".debug_frame", &ret->debug_frame);
}
