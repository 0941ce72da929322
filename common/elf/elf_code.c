/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads bytes of code and the instruction set of an ELF file. */
#include "config.h"

#include <errno.h>

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"

/* The file offset of an address, and the number of bytes that follow it. */
struct run {
	uint64_t offset, left;
};

struct elf_kind elf_file_kind(struct elf_file *file)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(file->elf, &header))
		return (struct elf_kind){ 0 };
	return (struct elf_kind){ header.e_machine, header.e_ident[EI_CLASS],
		header.e_ident[EI_DATA] };
}

/*
 * Sections of a debug file are SHT_NOBITS if the code is not in the file; its
 * segments may not show that.
 */
static bool find_in_sections(
	struct elf_file *file, uint64_t address, struct run *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section))) {
		/* .tbss overlaps the addresses of other sections. */
		if (!gelf_getshdr(section, &header) ||
			!(header.sh_flags & SHF_ALLOC) ||
			header.sh_flags & (SHF_COMPRESSED | SHF_TLS) ||
			address - header.sh_addr >= header.sh_size)
			continue;
		*ret = (struct run){
			header.sh_offset + (address - header.sh_addr),
			header.sh_size - (address - header.sh_addr)
		};
		return header.sh_type != SHT_NOBITS;
	}
	return false;
}

static bool find_in_segments(
	struct elf_file *file, uint64_t address, struct run *ret)
{
	GElf_Phdr header;
	size_t n, i;

	if (elf_getphdrnum(file->elf, &n) < 0)
		return false;
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++) {
		if (!gelf_getphdr(file->elf, (int)i, &header) ||
			header.p_type != PT_LOAD ||
			address - header.p_vaddr >= header.p_filesz)
			continue;
		*ret = (struct run){
			header.p_offset + (address - header.p_vaddr),
			header.p_filesz - (address - header.p_vaddr)
		};
		return true;
	}
	return false;
}

size_t elf_file_read(
	struct elf_file *file, uint64_t address, void *out, size_t size)
{
	bool has_sections = elf_nextscn(file->elf, NULL);
	struct run run;
	ssize_t n;

	if (has_sections ? !find_in_sections(file, address, &run)
			 : !find_in_segments(file, address, &run))
		return 0;
	do
		n = pread(file->fd, out, MIN((uint64_t)size, run.left),
			(off_t)run.offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? 0 : (size_t)n;
}
