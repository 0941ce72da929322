/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open ELF file, for elf.c and elf_symbols.c alone. */
#ifndef DWELL_ELF_PRIVATE_H
#define DWELL_ELF_PRIVATE_H

#include <gelf.h>
#include <libelf.h>

/* A file with more is not read any further. */
#define PROGRAM_HEADERS_MAX 512u

struct elf_file {
	int fd;
	Elf *elf;
	size_t section_names; /* index of .shstrtab */
};

/* Sections are borrowed from FILE; NULL: there is none of that name. */
Elf_Scn *elf_find_section(
	struct elf_file *file, const char *name, GElf_Shdr *header_ret);
/* Uncompressed, borrowed from FILE; NULL if it has none in the file. */
Elf_Data *elf_section_data(Elf_Scn *section, const GElf_Shdr *header);

#endif
