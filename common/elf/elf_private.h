/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The internals of struct elf_file, used only by elf.c and elf_*.c. */
#ifndef DWELL_COMMON_ELF_ELF_PRIVATE_H
#define DWELL_COMMON_ELF_ELF_PRIVATE_H

#include <gelf.h>
#include <libelf.h>

#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"

/* Program headers of a file after this number are ignored. */
#define PROGRAM_HEADERS_MAX 512u
/* Files with more sections, or longer section names in total, are rejected. */
#define SECTIONS_MAX 100000u
#define SECTION_NAMES_MAX MIB(4)
/* Number of cached pieces (blocks of 16 KiB) of each file: 1 MiB in total. */
#define ELF_PIECES 64u
/* ch_type of zstd (gABI), which older headers lack. */
#define COMPRESSED_ZSTD 2
/* Limit for .gnu_debuglink and .gnu_debugaltlink: a path and a build ID. */
#define LINK_SIZE_MAX KIB(8)

struct elf_section;

struct elf_file {
	int fd;
	uint64_t size; /* of the file or its image, in bytes */
	Elf *elf;
	size_t section_names; /* index of .shstrtab */
	/*
	 * In a sparse file only: the image in memory that .elf reads (NULL:
	 * .elf reads the file), and the ranges of the file that were read into
	 * the image.
	 */
	uint8_t *image;
	uint64_t image_size;
	ARRAY(struct elf_range { uint64_t start, end; }) was_read;
	/*
	 * In a sparse file only: the sections that are compressed with zstd.
	 * Each has a place in the image, behind the bytes of the file.
	 */
	ARRAY(struct elf_packed {
		size_t section;
		uint64_t from, packed_size; /* in the file, without header */
		uint64_t to, size;	    /* in the image */
		bool is_unpacked;
	})
	packed;
	/* In a debug file only: the place of the code in the stripped file. */
	bool has_code_offset;
	uint64_t code_offset, code_address; /* of the first page of code */
	/* The file in .gnu_debugdata, opened at the first request; owned. */
	struct elf_file *inner;
	bool has_looked_inside;
	struct elf_piece {
		uint64_t start; /* file offset */
		size_t size;	/* 0: nothing was read */
		uint8_t *at;	/* owned */
	} pieces[ELF_PIECES];
	struct strbuf name; /* the last read name that spans two pieces */
	/*
	 * The decompressed content of sections that libelf cannot decompress.
	 */
	ARRAY(struct elf_unpacked {
		size_t section, size;
		uint8_t *at; /* owned */
	})
	unpacked;
};

/*
 * Return the file offset and the size of the segment HEADER in the mapped file.
 * If FILE is a debug file, which does not contain the code, the values differ
 * from the program header.
 */
uint64_t elf_load_offset(const struct elf_file *file, const GElf_Phdr *header);
uint64_t elf_load_size(const struct elf_file *file, const GElf_Phdr *header);

/*
 * Finds the next executable segment, from program header *I on. Then sets *I to
 * the following program header.
 */
bool elf_next_code(const struct elf_file *file, size_t *i, GElf_Phdr *ret);

/* Returns the section NAME, borrowed from FILE, or NULL if it is missing. */
Elf_Scn *elf_find_section(
	struct elf_file *file, const char *name, GElf_Shdr *header_ret);

/* Returns true if the section HEADER is uncompressed and completely in FILE. */
bool elf_has_bytes(const struct elf_file *file, const GElf_Shdr *header);
/*
 * Copies SIZE bytes at OFFSET of the file to OUT. Returns false if the file
 * is too short.
 */
bool elf_copy_bytes(
	struct elf_file *file, uint64_t offset, void *out, size_t size);
/*
 * The file offset of an address, and the number of bytes from there to the end
 * of the section or segment.
 */
struct elf_run {
	uint64_t offset, left;
};
/* Finds the linked address ADDRESS by the segments of FILE. Returns false if none has it. */
bool elf_find_in_segments(
	struct elf_file *file, uint64_t address, struct elf_run *ret);
/*
 * Returns true if byte order ORDER (ELFDATA2LSB, ...) differs from the host's.
 */
static inline bool elf_is_swapped(uint8_t order)
{
	return (order == ELFDATA2MSB) !=
		(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* A string table in the file. */
struct elf_names {
	uint64_t start, size; /* file offset and bytes; size 0: missing */
};
/*
 * Returns the string table in section NUMBER. The string table is empty if the
 * section is missing or does not end with a NUL byte.
 */
struct elf_names elf_open_names(struct elf_file *file, size_t number);
/*
 * Returns the name at offset NAME of NAMES, valid until the next read from
 * FILE, or NULL if there is no name at that offset.
 */
const char *elf_name_at(
	struct elf_file *file, const struct elf_names *names, uint64_t name);

/* A symbol table in the file. */
struct elf_symbols {
	unsigned machine; /* e_machine */
	bool is_32, is_swapped;
	uint64_t offset;
	size_t n;
	struct elf_names names;
	uint64_t names_left; /* bytes of names that may still be read */
	uint64_t versions;   /* file offset of the symbols' versions, or 0 */
};
/* Size of the version of a symbol in bytes: an entry of .gnu.version. */
#define ELF_VERSION_SIZE 2u
/*
 * Opens the first symbol table of TYPE (SHT_SYMTAB, SHT_DYNSYM). In a file without section
 * headers, .dynsym is found by PT_DYNAMIC.
 */
struct elf_symbols elf_open_symbols(struct elf_file *file, uint32_t type);
static inline size_t elf_symbol_size(const struct elf_symbols *symbols)
{
	return symbols->is_32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

/* Reads symbol I of SYMBOLS. Returns false if SYMBOLS has no symbol I. */
bool elf_read_symbol(struct elf_file *file, const struct elf_symbols *symbols,
	size_t i, GElf_Sym *ret);
/*
 * Returns the name of SYMBOL, valid until the next read from FILE. Returns NULL
 * if SYMBOL has no name, or if the names read so far exceed the limit in
 * SYMBOLS, as in damaged files; all later symbols then have no name.
 */
const char *elf_symbol_name(struct elf_file *file, struct elf_symbols *symbols,
	const GElf_Sym *symbol);
/*
 * Returns true if symbol I of a .dynsym has a hidden version: a program that is
 * linked today gets another symbol.
 */
bool elf_has_hidden_version(
	struct elf_file *file, const struct elf_symbols *symbols, size_t i);
/*
 * The sorted table of .eh_frame_hdr: an entry for each function with unwind rules, two
 * words of ELF_FUNCTION_SIZE bytes together (LSB 5, 10.6.2). Borrowed from the file.
 */
#define ELF_FUNCTION_SIZE 8u
struct elf_functions {
	const uint8_t *at;
	size_t n; /* 0 if the file has no such table */
	uint64_t base;
	bool is_swapped;
};
struct elf_functions elf_file_functions(struct elf_file *file);
/*
 * Returns the linked address of the first function that starts behind ADDRESS, or
 * UINT64_MAX.
 */
uint64_t elf_next_function(
	const struct elf_functions *functions, uint64_t address);
/*
 * Reads the section NAME, at most MAX bytes, with the linked addresses that relative
 * relocations put into it. *COPY_RET is memory of RET that the caller owns, or NULL
 * if RET is borrowed from FILE. Returns false as elf_file_section().
 */
bool elf_linked_section(struct elf_file *file, const char *name, uint64_t max,
	struct elf_section *ret, uint8_t **copy_ret);
/*
 * Returns the decompressed content of SECTION, borrowed from SECTION's file, or
 * NULL if the content is not in the file.
 */
Elf_Data *elf_section_data(Elf_Scn *section, const GElf_Shdr *header);

#endif
