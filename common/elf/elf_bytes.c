/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads bytes, symbols, names and code of an ELF file in pieces. libelf reads
 * whole sections with the size that the header claims: a sparse file of 20 KB
 * can have string tables of gigabytes.
 */
#include "config.h"

#include <errno.h>

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/util/alloc.h"
#include "common/util/bytes.h"

#define PIECE_SIZE KIB(16)
/* Limit of a symbol name in bytes. Longer names are ignored. */
#define NAME_SIZE_MAX MIB(2)
/* Symbols read from one table; the largest programs have a million symbols. */
#define SYMBOLS_MAX (UINT32_C(1) << 24)
/*
 * A limit for the total length of all names of a symbol table. Linkers merge
 * names with a common suffix, and local symbols of many object files share a
 * name, so that the total can exceed the string table. The limit is
 * NAMES_SHARE_MAX times the size of the string table (at most
 * NAMES_SHARED_MAX), plus NAMES_EACH_MAX bytes per symbol.
 */
#define NAMES_SHARE_MAX 4u
#define NAMES_SHARED_MAX MIB(16)
#define NAMES_EACH_MAX 256u
/* An entry of .gnu.version, and the bit of a hidden version (LSB 5, 10.7.2). */
#define VERSION_SIZE 2u
#define VERSION_HIDDEN 0x8000u

/*
 * Returns the cached piece that contains file offset OFFSET, or NULL if the
 * file is too short.
 */
static const struct elf_piece *find_piece(
	struct elf_file *file, uint64_t offset)
{
	uint64_t start = offset - offset % PIECE_SIZE;
	struct elf_piece *piece =
		&file->pieces[offset / PIECE_SIZE % ELF_PIECES];

	if (offset > ELF_SIZE_MAX)
		return NULL;
	if (!piece->at)
		piece->at = xmalloc(PIECE_SIZE);
	if (!piece->size || piece->start != start) {
		piece->start = start;
		size_t size = 0;
		ssize_t n;

		while (size < PIECE_SIZE) {
			n = pread(file->fd, piece->at + size, PIECE_SIZE - size,
				(off_t)(start + size));
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				break;
			size += (size_t)n;
		}
		piece->size = size;
	}
	return offset - start < piece->size ? piece : NULL;
}

bool elf_has_bytes(const struct elf_file *file, const GElf_Shdr *header)
{
	return header->sh_type != SHT_NOBITS &&
		!(header->sh_flags & SHF_COMPRESSED) &&
		header->sh_offset <= file->size &&
		header->sh_size <= file->size - header->sh_offset;
}

bool elf_copy_bytes(
	struct elf_file *file, uint64_t offset, void *out, size_t size)
{
	uint8_t *to = out;

	while (size) {
		const struct elf_piece *piece = find_piece(file, offset);
		size_t at, n;

		if (!piece)
			return false;
		at = (size_t)(offset - piece->start);
		n = MIN(size, piece->size - at);
		memcpy(to, piece->at + at, n);
		to += n;
		offset += n;
		size -= n;
	}
	return true;
}

const char *elf_name_at(
	struct elf_file *file, const struct elf_names *names, uint64_t name)
{
	uint64_t offset = names->start + name;

	strbuf_clear(&file->name);
	while (name < names->size && file->name.n < NAME_SIZE_MAX) {
		const struct elf_piece *piece = find_piece(file, offset);
		const char *at;
		size_t left, size;

		if (!piece)
			return NULL;
		at = (const char *)piece->at + (offset - piece->start);
		left = (size_t)MIN(piece->start + piece->size - offset,
			names->size - name);
		size = strnlen(at, left);
		if (size < left && !file->name.n)
			return at;
		strbuf_put(&file->name, at, size);
		if (size < left)
			return file->name.at;
		offset += left;
		name += left;
	}
	return NULL;
}

struct elf_names elf_open_names(struct elf_file *file, size_t number)
{
	Elf_Scn *section = elf_getscn(file->elf, number);
	struct elf_names none = { 0 };
	GElf_Shdr header;
	char last;

	if (!section || !gelf_getshdr(section, &header) ||
		!elf_has_bytes(file, &header) || !header.sh_size ||
		!elf_copy_bytes(file, header.sh_offset + header.sh_size - 1,
			&last, 1) ||
		last)
		return none;
	return (struct elf_names){ header.sh_offset, header.sh_size };
}

struct elf_symbols elf_open_symbols(struct elf_file *file, uint32_t type)
{
	struct elf_kind kind = elf_file_kind(file);
	struct elf_symbols symbols = { .machine = kind.machine,
		.is_32 = kind.class == ELFCLASS32,
		.is_swapped = elf_is_swapped(kind.order) };
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t size = elf_symbol_size(&symbols), index;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			break;
	if (!section || header.sh_entsize != size ||
		!elf_has_bytes(file, &header))
		return symbols;
	symbols.offset = header.sh_offset;
	symbols.names = elf_open_names(file, header.sh_link);
	if (symbols.names.size)
		symbols.n = (size_t)MIN(
			header.sh_size / size, (uint64_t)SYMBOLS_MAX);
	symbols.names_left =
		MIN(symbols.names.size, (uint64_t)NAMES_SHARED_MAX) *
			NAMES_SHARE_MAX +
		symbols.n * NAMES_EACH_MAX;
	/* The version numbers of the symbols. */
	index = elf_ndxscn(section);
	section = NULL;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) &&
			header.sh_type == SHT_GNU_versym &&
			header.sh_link == index &&
			elf_has_bytes(file, &header) &&
			header.sh_size / VERSION_SIZE >= symbols.n) {
			symbols.versions = header.sh_offset;
			break;
		}
	return symbols;
}

bool elf_read_symbol(struct elf_file *file, const struct elf_symbols *symbols,
	size_t i, GElf_Sym *ret)
{
	uint8_t raw[sizeof(Elf64_Sym)] = { 0 };
	size_t size = elf_symbol_size(symbols);
	struct bytes b = bytes_of(raw, size, symbols->is_swapped);

	if (i >= symbols->n ||
		!elf_copy_bytes(file, symbols->offset + i * size, raw, size))
		return false;
	ret->st_name = bytes_u32(&b);
	if (symbols->is_32) {
		ret->st_value = bytes_u32(&b);
		ret->st_size = bytes_u32(&b);
	}
	ret->st_info = bytes_u8(&b);
	ret->st_other = bytes_u8(&b);
	ret->st_shndx = bytes_u16(&b);
	if (symbols->is_32)
		return true;
	ret->st_value = bytes_u64(&b);
	ret->st_size = bytes_u64(&b);
	return true;
}

const char *elf_symbol_name(struct elf_file *file, struct elf_symbols *symbols,
	const GElf_Sym *symbol)
{
	const char *name = elf_name_at(file, &symbols->names, symbol->st_name);
	size_t size = name ? strlen(name) : 0;

	if (size > symbols->names_left) {
		symbols->names_left = 0;
		return NULL;
	}
	symbols->names_left -= size;
	return size ? name : NULL;
}

bool elf_has_hidden_version(
	struct elf_file *file, const struct elf_symbols *symbols, size_t i)
{
	uint8_t raw[VERSION_SIZE];
	struct bytes b = bytes_of(raw, sizeof(raw), symbols->is_swapped);

	return symbols->versions &&
		elf_copy_bytes(file, symbols->versions + i * sizeof(raw), raw,
			sizeof(raw)) &&
		bytes_u16(&b) & VERSION_HIDDEN;
}

/*
 * The file offset of an address, and the number of bytes from there to the end
 * of the section or segment.
 */
struct elf_run {
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
 * Finds the linked address ADDRESS by the sections of FILE. Returns false if
 * the content is not in FILE: a debug file without code has sections of type
 * SHT_NOBITS, but its segments may look as if they had content.
 */
static bool find_in_sections(
	struct elf_file *file, uint64_t address, struct elf_run *ret)
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
		*ret = (struct elf_run){ header.sh_offset +
				(address - header.sh_addr),
			header.sh_size - (address - header.sh_addr) };
		return header.sh_type != SHT_NOBITS;
	}
	return false;
}

static bool find_in_segments(
	struct elf_file *file, uint64_t address, struct elf_run *ret)
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
		*ret = (struct elf_run){ header.p_offset +
				(address - header.p_vaddr),
			header.p_filesz - (address - header.p_vaddr) };
		return true;
	}
	return false;
}

size_t elf_file_read(
	struct elf_file *file, uint64_t address, void *out, size_t size)
{
	bool has_sections = elf_nextscn(file->elf, NULL);
	struct elf_run run;
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
