/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of an ELF file, and where in the file they lie. */
#include "config.h"

#include "common/alloc.h"
#include "common/elf.h"
#include "common/elf_private.h"

/* The smallest pages; files for larger ones are laid out for these as well. */
#define CODE_PAGE_SIZE UINT64_C(4096)

/* Segments of the mapped file that hold code: address to file offset. */
struct segments {
	ARRAY(struct segment { uint64_t start, end, offset; }) loads;
};

static void read_segments(struct elf_file *file, struct segments *ret)
{
	size_t n = 0, i;
	GElf_Phdr header;

	elf_getphdrnum(file->elf, &n);
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++) {
		if (!gelf_getphdr(file->elf, (int)i, &header) ||
			header.p_type != PT_LOAD)
			continue;
		*array_push(&ret->loads) = (struct segment){ header.p_vaddr,
			header.p_vaddr + header.p_memsz,
			elf_load_offset(file, &header) };
	}
}

size_t elf_file_segments(
	struct elf_file *file, struct elf_segment *ret, size_t room)
{
	size_t n = 0, found = 0, i;
	GElf_Phdr header;
	uint64_t offset;

	elf_getphdrnum(file->elf, &n);
	n = MIN(n, (size_t)PROGRAM_HEADERS_MAX);
	for (i = 0; i < n && found < room; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &header) ||
			header.p_type != PT_LOAD || !(header.p_flags & PF_X))
			continue;
		offset = elf_load_offset(file, &header);
		ret[found++] = (struct elf_segment){
			offset & ~(uint64_t)(CODE_PAGE_SIZE - 1),
			ALIGN_UP(offset + elf_load_size(file, &header),
				CODE_PAGE_SIZE),
			header.p_vaddr - offset,
		};
	}
	return found;
}

static bool to_offset(
	const struct segments *segments, uint64_t address, uint64_t *ret)
{
	array_each(&segments->loads, load) {
		if (address < load->start || address >= load->end)
			continue;
		*ret = address - load->start + load->offset;
		return true;
	}
	return false;
}

/* A label counts when it stands in a section of code or data. */
static bool is_in_code(struct elf_file *file, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(file->elf, symbol->st_shndx);
	const char *name;
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header))
		return false;
	name = elf_strptr(file->elf, file->section_names, header.sh_name);
	return name &&
		(strstr(name, "text") || header.sh_flags & SHF_EXECINSTR);
}

/* A function or, as a data address may be of one, a variable. */
static bool has_name(struct elf_file *file, const GElf_Sym *symbol)
{
	uint8_t type = GELF_ST_TYPE(symbol->st_info);
	uint8_t visibility = GELF_ST_VISIBILITY(symbol->st_other);

	if (symbol->st_name == 0 || symbol->st_shndx == SHN_UNDEF)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* Versions of a library are such objects. */
	if (symbol->st_shndx == SHN_ABS)
		return false;
	if (type == STT_OBJECT)
		return true;
	return type == STT_NOTYPE &&
		visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
		is_in_code(file, symbol);
}

struct elf_symbols elf_open_symbols(struct elf_file *file, uint32_t type)
{
	struct elf_symbols symbols = { 0 };
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			break;
	if (!section || !header.sh_entsize)
		return symbols;
	symbols.data = elf_section_data(section, &header);
	symbols.names = header.sh_link;
	if (symbols.data)
		symbols.n = MIN(symbols.data->d_size / header.sh_entsize,
			(size_t)INT32_MAX);
	return symbols;
}

static uint32_t type_of(enum elf_table which)
{
	return which == ELF_SYMTAB ? SHT_SYMTAB : SHT_DYNSYM;
}

bool elf_file_symbols(struct elf_file *file, struct elf_file *layout,
	enum elf_table which, struct symtab *table)
{
	struct segments segments = { 0 };
	struct elf_symbols symbols = elf_open_symbols(file, type_of(which));
	size_t i;

	read_segments(layout, &segments);
	for (i = 0; i < symbols.n; i++) {
		uint64_t offset;
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(symbols.data, (int)i, &symbol) ||
			!has_name(file, &symbol) ||
			!to_offset(&segments, symbol.st_value, &offset))
			continue;
		name = elf_strptr(file->elf, symbols.names, symbol.st_name);
		if (name && *name)
			symtab_add(table, offset, offset + symbol.st_size,
				GELF_ST_BIND(symbol.st_info), name);
	}
	array_free(&segments.loads);
	return symbols.n > 0;
}

bool elf_file_own_symbols(struct elf_file *file, struct symtab *table)
{
	struct elf_file *inner;

	if (elf_file_symbols(file, file, ELF_SYMTAB, table))
		return true;
	elf_file_symbols(file, file, ELF_DYNSYM, table);
	inner = elf_file_debugdata(file);
	return inner && elf_file_symbols(inner, file, ELF_SYMTAB, table);
}

bool elf_file_addresses(
	struct elf_file *file, uint64_t moved, struct symtab *table)
{
	struct elf_symbols symbols = elf_open_symbols(file, SHT_SYMTAB);
	size_t i;

	for (i = 0; i < symbols.n; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(symbols.data, (int)i, &symbol) ||
			!has_name(file, &symbol))
			continue;
		name = elf_strptr(file->elf, symbols.names, symbol.st_name);
		if (name && *name)
			symtab_add(table, symbol.st_value + moved,
				symbol.st_value + moved + symbol.st_size,
				GELF_ST_BIND(symbol.st_info), name);
	}
	return symbols.n > 0;
}

/* Not every symbol is at an address: no TLS, no constants, no sections. */
static bool is_place(const GElf_Sym *symbol)
{
	uint8_t type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_name && symbol->st_shndx != SHN_UNDEF &&
		symbol->st_shndx != SHN_ABS &&
		(type == STT_FUNC || type == STT_OBJECT ||
			type == STT_NOTYPE || type == STT_GNU_IFUNC);
}

static bool find_in(struct elf_file *file, enum elf_table which,
	const char *name, GElf_Sym *ret)
{
	struct elf_symbols symbols = elf_open_symbols(file, type_of(which));
	size_t i;

	for (i = 0; i < symbols.n; i++) {
		const char *found;

		if (!gelf_getsym(symbols.data, (int)i, ret) || !is_place(ret))
			continue;
		found = elf_strptr(file->elf, symbols.names, ret->st_name);
		if (found && string_is(found, name))
			return true;
	}
	return false;
}

bool elf_file_find(
	struct elf_file *file, const char *name, struct elf_symbol *ret)
{
	struct segments segments = { 0 };
	struct elf_file *inner;
	GElf_Sym symbol;

	if (!find_in(file, ELF_SYMTAB, name, &symbol) &&
		!find_in(file, ELF_DYNSYM, name, &symbol)) {
		inner = elf_file_debugdata(file);
		if (!inner || !find_in(inner, ELF_SYMTAB, name, &symbol))
			return false;
	}
	*ret = (struct elf_symbol){ symbol.st_value, symbol.st_size,
		UINT64_MAX };
	read_segments(file, &segments);
	to_offset(&segments, ret->address, &ret->offset);
	array_free(&segments.loads);
	return true;
}
