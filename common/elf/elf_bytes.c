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
/* The bit of a hidden version (LSB 5, 10.7.2). */
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
	uint8_t raw[ELF_VERSION_SIZE];
	struct bytes b = bytes_of(raw, sizeof(raw), symbols->is_swapped);

	return symbols->versions &&
		elf_copy_bytes(file, symbols->versions + i * sizeof(raw), raw,
			sizeof(raw)) &&
		bytes_u16(&b) & VERSION_HIDDEN;
}

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

bool elf_find_in_segments(
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
			 : !elf_find_in_segments(file, address, &run))
		return 0;
	do
		n = pread(file->fd, out, MIN((uint64_t)size, run.left),
			(off_t)run.offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? 0 : (size_t)n;
}
