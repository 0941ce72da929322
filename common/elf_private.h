/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open ELF file, for elf.c and elf_*.c alone. */
#ifndef DWELL_ELF_PRIVATE_H
#define DWELL_ELF_PRIVATE_H

#include <gelf.h>
#include <libelf.h>

#include "common/array.h"

/* A file with more is not read any further. */
#define PROGRAM_HEADERS_MAX 512u
/* A path and a build ID. */
#define LINK_SIZE_MAX KIB(8)

struct elf_file {
	int fd;
	Elf *elf;
	size_t section_names; /* index of .shstrtab */
	/* What .elf lies in, mapped; NULL: in the file. What of it was read. */
	uint8_t *image;
	uint64_t image_size;
	ARRAY(struct elf_range { uint64_t start, end; }) was_read;
	/* Of a debug file: where its code is in the file that is mapped. */
	bool has_code_offset;
	uint64_t code_offset, code_address; /* of a page */
	/* What .gnu_debugdata holds, once it was asked for; owned. */
	struct elf_file *inner;
	bool has_looked_inside;
	/* What libelf can't unpack, by index of the section. */
	ARRAY(struct elf_unpacked {
		size_t section, size;
		uint8_t *at; /* owned */
	}) unpacked;
};

/*
 * Where in the mapped file that segment of FILE's begins, and its bytes there: a
 * debug file has none of its own, and no use for the offset.
 */
uint64_t elf_load_offset(
	const struct elf_file *file, const GElf_Phdr *header);
uint64_t elf_load_size(const struct elf_file *file, const GElf_Phdr *header);

/* FILE's next executable segment from number *I on, behind which *I is then. */
bool elf_next_code(const struct elf_file *file, size_t *i, GElf_Phdr *ret);

/* Sections are borrowed from FILE; NULL: there is none of that name. */
Elf_Scn *elf_find_section(
	struct elf_file *file, const char *name, GElf_Shdr *header_ret);
/* One symbol table; its section is borrowed from the file. */
struct elf_symbols {
	Elf_Data *data; /* NULL: there is none */
	size_t n;
	size_t names; /* index of its section of strings */
	uint64_t names_left; /* bytes that are still believed */
	unsigned machine;    /* e_machine */
};
/* The first one of that TYPE (SHT_SYMTAB, SHT_DYNSYM). */
struct elf_symbols elf_open_symbols(struct elf_file *file, uint32_t type);
/*
 * Borrowed from FILE. NULL: it has none, or all that were asked for have more
 * bytes than there can be; none of the later ones has any then.
 */
const char *elf_symbol_name(struct elf_file *file, struct elf_symbols *symbols,
	const GElf_Sym *symbol);
/*
 * Whether all of NAMES, which may be NULL, end. Of others libelf would look for
 * the last end each time that it is asked for one.
 */
bool elf_has_ends(const Elf_Data *names);
/* Uncompressed, borrowed from FILE; NULL if it has none in the file. */
Elf_Data *elf_section_data(Elf_Scn *section, const GElf_Shdr *header);

#endif
