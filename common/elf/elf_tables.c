/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the symbol tables of an ELF file: by the sections, or, in a file without section
 * headers, by the table for the dynamic linker (PT_DYNAMIC).
 */
#include "config.h"

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/util/bytes.h"

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
/* Entries of PT_DYNAMIC after this number are ignored. */
#define DYNAMIC_MAX 4096u
/* Limit of the lists in a hash table of symbols. */
#define HASH_LISTS_MAX (UINT32_C(1) << 22)

/* --- by sections ------------------------------------------------------------ */

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

static void find_by_sections(
	struct elf_file *file, uint32_t type, struct elf_symbols *symbols)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t size = elf_symbol_size(symbols), index;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			break;
	if (!section || header.sh_entsize != size ||
		!elf_has_bytes(file, &header))
		return;
	symbols->offset = header.sh_offset;
	symbols->names = elf_open_names(file, header.sh_link);
	if (symbols->names.size)
		symbols->n = (size_t)MIN(
			header.sh_size / size, (uint64_t)SYMBOLS_MAX);
	/* The version numbers of the symbols. */
	index = elf_ndxscn(section);
	section = NULL;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) &&
			header.sh_type == SHT_GNU_versym &&
			header.sh_link == index &&
			elf_has_bytes(file, &header) &&
			header.sh_size / ELF_VERSION_SIZE >= symbols->n) {
			symbols->versions = header.sh_offset;
			break;
		}
}

/* --- by PT_DYNAMIC ---------------------------------------------------------- */

/* Linked addresses of the tables, and sizes; 0: missing. */
struct dynamic_tables {
	uint64_t symbols, symbol_size, names, names_size, versions;
	uint64_t hash, gnu_hash;
};

static void set_dynamic(
	struct dynamic_tables *tables, uint64_t tag, uint64_t value)
{
	switch (tag) {
	case DT_SYMTAB: tables->symbols = value; break;
	case DT_SYMENT: tables->symbol_size = value; break;
	case DT_STRTAB: tables->names = value; break;
	case DT_STRSZ: tables->names_size = value; break;
	case DT_VERSYM: tables->versions = value; break;
	case DT_HASH: tables->hash = value; break;
	case DT_GNU_HASH: tables->gnu_hash = value; break;
	default: break;
	}
}

/* Reads the words of PT_DYNAMIC, of 4 or 8 bytes. */
static bool read_dynamic(struct elf_file *file,
	const struct elf_symbols *symbols, struct dynamic_tables *ret)
{
	size_t word = symbols->is_32 ? 4 : 8, n = 0, i;
	GElf_Phdr header = { 0 };

	*ret = (struct dynamic_tables){ 0 };
	elf_getphdrnum(file->elf, &n);
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++)
		if (gelf_getphdr(file->elf, (int)i, &header) &&
			header.p_type == PT_DYNAMIC)
			break;
	if (header.p_type != PT_DYNAMIC)
		return false;
	n = (size_t)MIN(header.p_filesz / (2 * word), (uint64_t)DYNAMIC_MAX);
	for (i = 0; i < n; i++) {
		uint8_t raw[16];
		struct bytes b = bytes_of(raw, 2 * word, symbols->is_swapped);
		uint64_t tag, value;

		if (!elf_copy_bytes(file, header.p_offset + i * 2 * word, raw,
			    2 * word))
			return false;
		tag = symbols->is_32 ? bytes_u32(&b) : bytes_u64(&b);
		value = symbols->is_32 ? bytes_u32(&b) : bytes_u64(&b);
		if (tag == DT_NULL)
			break;
		set_dynamic(ret, tag, value);
	}
	return ret->symbols && ret->symbol_size == elf_symbol_size(symbols);
}

/* A table of 32-bit words in the file. */
struct hash_words {
	struct elf_file *file;
	struct elf_run run;
	bool is_swapped;
};

/* Returns false if the table has no word I. */
static bool read_hash_word(
	const struct hash_words *words, uint64_t i, uint32_t *ret)
{
	uint8_t raw[4];
	struct bytes b = bytes_of(raw, sizeof(raw), words->is_swapped);

	if (i >= words->run.left / sizeof(raw) ||
		!elf_copy_bytes(words->file,
			words->run.offset + i * sizeof(raw), raw, sizeof(raw)))
		return false;
	*ret = bytes_u32(&b);
	return true;
}

/*
 * Returns the number of symbols of a table of DT_GNU_HASH: its lists are sorted, and the
 * last list ends with the last symbol.
 */
static uint64_t count_gnu_hashed(const struct hash_words *words, bool is_32)
{
	uint32_t n_lists, first, n_filter, last = 0, hash, i;
	uint64_t lists, symbol;

	if (!read_hash_word(words, 0, &n_lists) ||
		!read_hash_word(words, 1, &first) ||
		!read_hash_word(words, 2, &n_filter) ||
		n_lists > HASH_LISTS_MAX)
		return 0;
	lists = 4 + (uint64_t)n_filter * (is_32 ? 1 : 2);
	for (i = 0; i < n_lists; i++) {
		if (!read_hash_word(words, lists + i, &hash))
			return 0;
		last = MAX(last, hash);
	}
	if (last < first)
		return first;
	/* The lowest bit of the hash of a symbol marks the end of its list. */
	for (symbol = last; symbol < SYMBOLS_MAX; symbol++) {
		if (!read_hash_word(
			    words, lists + n_lists + (symbol - first), &hash))
			return 0;
		if (hash & 1)
			return symbol + 1;
	}
	return 0;
}

/* Returns the number of symbols, which only the hash tables contain. */
static uint64_t count_hashed(struct elf_file *file,
	const struct elf_symbols *symbols, const struct dynamic_tables *tables)
{
	struct hash_words words = { .file = file,
		.is_swapped = symbols->is_swapped };
	uint32_t n;

	if (tables->gnu_hash &&
		elf_find_in_segments(file, tables->gnu_hash, &words.run))
		return count_gnu_hashed(&words, symbols->is_32);
	if (tables->hash &&
		elf_find_in_segments(file, tables->hash, &words.run) &&
		read_hash_word(&words, 1, &n))
		return n;
	return 0;
}

static void find_by_dynamic(struct elf_file *file, struct elf_symbols *symbols)
{
	size_t size = elf_symbol_size(symbols);
	struct dynamic_tables tables;
	struct elf_run run, names, versions;
	uint64_t n;
	char last;

	if (!read_dynamic(file, symbols, &tables) ||
		!elf_find_in_segments(file, tables.symbols, &run) ||
		!elf_find_in_segments(file, tables.names, &names) ||
		!tables.names_size || tables.names_size > names.left ||
		!elf_copy_bytes(
			file, names.offset + tables.names_size - 1, &last, 1) ||
		last)
		return;
	n = MIN(count_hashed(file, symbols, &tables), run.left / size);
	symbols->n = (size_t)MIN(n, (uint64_t)SYMBOLS_MAX);
	symbols->offset = run.offset;
	symbols->names = (struct elf_names){ names.offset, tables.names_size };
	if (tables.versions &&
		elf_find_in_segments(file, tables.versions, &versions) &&
		versions.left / ELF_VERSION_SIZE >= symbols->n)
		symbols->versions = versions.offset;
}

struct elf_symbols elf_open_symbols(struct elf_file *file, uint32_t type)
{
	struct elf_kind kind = elf_file_kind(file);
	struct elf_symbols symbols = { .machine = kind.machine,
		.is_32 = kind.class == ELFCLASS32,
		.is_swapped = elf_is_swapped(kind.order) };

	if (elf_nextscn(file->elf, NULL))
		find_by_sections(file, type, &symbols);
	else if (type == SHT_DYNSYM)
		find_by_dynamic(file, &symbols);
	symbols.names_left =
		MIN(symbols.names.size, (uint64_t)NAMES_SHARED_MAX) *
			NAMES_SHARE_MAX +
		symbols.n * NAMES_EACH_MAX;
	return symbols;
}
