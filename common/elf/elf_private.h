/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open ELF file, for elf.c and elf_*.c alone. */
#ifndef DWELL_COMMON_ELF_ELF_PRIVATE_H
#define DWELL_COMMON_ELF_ELF_PRIVATE_H

#include <gelf.h>
#include <libelf.h>

#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

/* A file with more is not read any further. */
#define PROGRAM_HEADERS_MAX 512u
/* A file with more sections, or with longer names of them in all, is refused. */
#define SECTIONS_MAX 100000u
#define SECTION_NAMES_MAX MIB(4)
/* Of a file that are kept, by their place in it: 1 MiB. */
#define ELF_PIECES 64u
/* A path and a build ID. */
#define LINK_SIZE_MAX KIB(8)

struct elf_file {
	int fd;
	uint64_t size; /* of the file */
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
	struct elf_piece {
		uint64_t start; /* in the file */
		size_t size;    /* 0: none is there */
		uint8_t *at;    /* owned */
	} pieces[ELF_PIECES];
	struct strbuf name; /* the last one that no piece has all of */
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

/* Whether all of the section, uncompressed, is in the file. */
bool elf_has_bytes(const struct elf_file *file, const GElf_Shdr *header);
/* Copies SIZE bytes at OFFSET of the file to OUT; false: it has fewer. */
bool elf_copy_bytes(
	struct elf_file *file, uint64_t offset, void *out, size_t size);
/* Whether a file of byte order ORDER (ELFDATA2LSB, ...) is of another machine's. */
static inline bool elf_is_swapped(uint8_t order)
{
	return (order == ELFDATA2MSB) !=
		(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* One string table, in the file. */
struct elf_names {
	uint64_t start, size; /* .size is 0 if there is none */
};
/* The string table in section NUMBER, or none if its last name has no end. */
struct elf_names elf_open_names(struct elf_file *file, size_t number);
/*
 * The name at offset NAME of NAMES, valid until the next read from FILE. NULL: there
 * is none.
 */
const char *elf_name_at(
	struct elf_file *file, const struct elf_names *names, uint64_t name);

/* One symbol table, in the file. */
struct elf_symbols {
	unsigned machine; /* e_machine */
	bool is_32, is_swapped;
	uint64_t offset;
	size_t n;
	struct elf_names names;
	uint64_t names_left; /* bytes that are still believed */
};
/* The first one of that TYPE (SHT_SYMTAB, SHT_DYNSYM). */
struct elf_symbols elf_open_symbols(struct elf_file *file, uint32_t type);
static inline size_t elf_symbol_size(const struct elf_symbols *symbols)
{
	return symbols->is_32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}
/* Symbol I; false: there is none. */
bool elf_read_symbol(struct elf_file *file, const struct elf_symbols *symbols,
	size_t i, GElf_Sym *ret);
/*
 * Valid until the next read from FILE. NULL: SYMBOL has no name, or all names that
 * were read have more bytes than there can be; no later symbol has a name then.
 */
const char *elf_symbol_name(struct elf_file *file, struct elf_symbols *symbols,
	const GElf_Sym *symbol);
/* Uncompressed, borrowed from FILE; NULL if it has none in the file. */
Elf_Data *elf_section_data(Elf_Scn *section, const GElf_Shdr *header);

#endif
