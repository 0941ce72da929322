/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the symbols of an ELF file and their file offsets. */
#include "config.h"

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/elf/function_size.h"
#include "common/elf/go_symbols.h"
#include "common/util/alloc.h"

/*
 * The smallest page size. Files for larger pages are valid for this size too.
 */
#define CODE_PAGE_SIZE UINT64_C(4096)
/* Number of bytes of a section's name that are searched for "text". */
#define SECTION_NAME_MAX 256u
/* Limit of the functions of a file whose sizes are read from their code. */
#define FUNCTIONS_READ_MAX 16384u

/* Segments of the mapped file, to convert addresses to file offsets. */
struct segments {
	ARRAY(struct segment {
		uint64_t start, end, offset;
		bool is_code;
	})
	loads;
};

/* Returns true if code of another segment is in the file between START and END. */
static bool is_code_between(
	const struct segments *segments, uint64_t start, uint64_t end)
{
	array_each(&segments->loads, load)
		if (load->is_code && load->offset < end &&
			load->offset + (load->end - load->start) > start)
			return true;
	return false;
}

static void read_segments(struct elf_file *file, struct segments *ret)
{
	size_t n = 0, i;
	GElf_Phdr header;

	elf_getphdrnum(file->elf, &n);
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++) {
		if (!gelf_getphdr(file->elf, (int)i, &header) ||
			header.p_type != PT_LOAD)
			continue;
		/*
		 * A debug file has only the first bytes of a code segment that
		 * also contains headers and notes, so code segments have
		 * p_memsz.
		 */
		*array_push(&ret->loads) = (struct segment){ header.p_vaddr,
			header.p_vaddr +
				(header.p_flags & PF_X
						? header.p_memsz
						: elf_load_size(file, &header)),
			elf_load_offset(file, &header), header.p_flags & PF_X };
	}
	/*
	 * The variables behind the content of a segment (.bss) begin in the
	 * last page that is mapped from the file. They get the file offset that
	 * a data address in this page has, unless the file has code there.
	 */
	array_each(&ret->loads, load) {
		uint64_t end = load->offset + (load->end - load->start);
		uint64_t page_end = ALIGN_UP(end, CODE_PAGE_SIZE);

		if (!load->is_code && !is_code_between(ret, end, page_end))
			load->end += page_end - end;
	}
}

static struct elf_segment segment_in_pages(
	const struct elf_file *file, const GElf_Phdr *header)
{
	uint64_t offset = elf_load_offset(file, header);

	return (struct elf_segment){
		offset & ~(uint64_t)(CODE_PAGE_SIZE - 1),
		ALIGN_UP(offset + elf_load_size(file, header), CODE_PAGE_SIZE),
		header->p_vaddr - offset,
	};
}

size_t elf_file_segments(
	struct elf_file *file, struct elf_segment *ret, size_t room)
{
	size_t found = 0, i = 0;
	GElf_Phdr header;

	while (found < room && elf_next_code(file, &i, &header))
		ret[found++] = segment_in_pages(file, &header);
	return found;
}

size_t elf_file_all_segments(
	struct elf_file *file, struct elf_segment *ret, size_t room)
{
	size_t found = 0, n = 0, i;
	GElf_Phdr header;

	elf_getphdrnum(file->elf, &n);
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX) && found < room;
		i++)
		if (gelf_getphdr(file->elf, (int)i, &header) &&
			header.p_type == PT_LOAD)
			ret[found++] = segment_in_pages(file, &header);
	return found;
}

bool elf_segments_offset(const struct elf_segment *segments, size_t n,
	uint64_t address, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t offset = address - segments[i].delta;

		if (offset < segments[i].start || offset >= segments[i].end)
			continue;
		*ret = offset;
		return true;
	}
	return false;
}

static bool address_to_offset(
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

/* Returns true if SYMBOL's section contains code or has "text" in its name. */
static bool is_in_code_section(struct elf_file *file, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(file->elf, symbol->st_shndx);
	const char *name;
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header))
		return false;
	name = elf_strptr(file->elf, file->section_names, header.sh_name);
	return name &&
		(header.sh_flags & SHF_EXECINSTR ||
			memmem(name, strnlen(name, SECTION_NAME_MAX), "text",
				strlen("text")));
}

/*
 * Returns true for functions, for labels in code, and for variables, which name
 * sampled data addresses.
 */
static bool is_listed_symbol(struct elf_file *file, const GElf_Sym *symbol)
{
	uint8_t type = GELF_ST_TYPE(symbol->st_info);
	uint8_t visibility = GELF_ST_VISIBILITY(symbol->st_other);

	if (symbol->st_name == 0 || symbol->st_shndx == SHN_UNDEF)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/*
	 * The symbol versions of a library are absolute objects: not variables.
	 */
	if (symbol->st_shndx == SHN_ABS)
		return false;
	if (type == STT_OBJECT)
		return true;
	return type == STT_NOTYPE && visibility != STV_HIDDEN &&
		visibility != STV_INTERNAL && is_in_code_section(file, symbol);
}

/*
 * Mapping symbols, for example "$x" and "$d.12", mark the start of code or data
 * within a section (AAELF64, AAELF32, and RISC-V psABI, where the ISA of the
 * code can follow "$x").
 */
static bool is_mapping_symbol(
	const struct elf_symbols *symbols, uint8_t type, const char *name)
{
	bool has_end;

	if (type != STT_NOTYPE || name[0] != '$' || !name[1])
		return false;
	has_end = !name[2] || name[2] == '.';
	switch (symbols->machine) {
	case EM_ARM: return has_end && strchr("adt", name[1]);
	case EM_AARCH64: return has_end && strchr("dx", name[1]);
	case EM_RISCV: return name[1] == 'x' || (has_end && name[1] == 'd');
	default: return false;
	}
}

/* On ARM, bit 0 of a function's address is 1 for Thumb code. */
static void clear_thumb(const struct elf_symbols *symbols, GElf_Sym *symbol)
{
	uint8_t type = GELF_ST_TYPE(symbol->st_info);

	if (symbols->machine == EM_ARM &&
		(type == STT_FUNC || type == STT_GNU_IFUNC))
		symbol->st_value &= ~UINT64_C(1);
}

/* Reads symbol I. Returns false if it is not a function, variable or label. */
static bool read_symbol(struct elf_file *file,
	const struct elf_symbols *symbols, size_t i, GElf_Sym *ret)
{
	if (!elf_read_symbol(file, symbols, i, ret) ||
		!is_listed_symbol(file, ret))
		return false;
	clear_thumb(symbols, ret);
	return true;
}

/*
 * Returns the name of SYMBOL, which read_symbol() read, valid until the next read from FILE,
 * or NULL if it has none.
 */
static const char *read_symbol_name(struct elf_file *file,
	struct elf_symbols *symbols, const GElf_Sym *symbol)
{
	const char *name = elf_symbol_name(file, symbols, symbol);
	uint8_t type = GELF_ST_TYPE(symbol->st_info);

	return name && !is_mapping_symbol(symbols, type, name) ? name : NULL;
}

static uint32_t symbol_section_type(enum elf_table which)
{
	return which == ELF_SYMTAB ? SHT_SYMTAB : SHT_DYNSYM;
}

/* Finds the ends of functions whose symbols have no size. */
struct function_ends {
	struct elf_file *layout;
	/* The symbols of local functions are missing. */
	bool lacks_functions;
	bool has_starts;
	struct elf_functions starts; /* if .has_starts */
	size_t n_read;		     /* functions of which the code was read */
};

/*
 * Returns the end of the function SYMBOL by its code; UINT64_MAX: unknown. In a table that
 * lacks functions, the code up to the next symbol can be that of others.
 */
static uint64_t end_by_code(struct function_ends *ends, const GElf_Sym *symbol)
{
	uint8_t code[FUNCTION_SIZE_MAX];
	size_t n, size;

	if (!ends->lacks_functions || ends->n_read >= FUNCTIONS_READ_MAX ||
		GELF_ST_TYPE(symbol->st_info) == STT_OBJECT)
		return UINT64_MAX;
	ends->n_read++;
	n = elf_file_read(ends->layout, symbol->st_value, code, sizeof(code));
	size = function_size(elf_file_machine(ends->layout), code, n);
	return size ? symbol->st_value + size : UINT64_MAX;
}

/*
 * Returns an address behind which the function SYMBOL, which has no size, does not continue:
 * it must not name a function that has no symbol. UINT64_MAX: none is known.
 */
static uint64_t find_end(struct function_ends *ends, const GElf_Sym *symbol)
{
	if (!ends->has_starts)
		ends->starts = elf_file_functions(ends->layout);
	ends->has_starts = true;
	return MIN(elf_next_function(&ends->starts, symbol->st_value),
		end_by_code(ends, symbol));
}

bool elf_file_symbols(struct elf_file *file, struct elf_file *layout,
	enum elf_table which, struct symtab *table)
{
	struct segments segments = { 0 };
	struct function_ends ends = { .layout = layout,
		.lacks_functions = which == ELF_DYNSYM };
	struct elf_symbols symbols =
		elf_open_symbols(file, symbol_section_type(which));
	size_t i;

	if (!symtab_begin(table, symbols.n))
		return symbols.n > 0;
	read_segments(layout, &segments);
	for (i = 0; i < symbols.n && !symtab_is_full(table); i++) {
		uint64_t offset, end;
		GElf_Sym symbol;
		bool is_hidden;
		const char *name;

		if (!read_symbol(file, &symbols, i, &symbol) ||
			!address_to_offset(
				&segments, symbol.st_value, &offset) ||
			!symtab_wants(table, offset, offset + symbol.st_size))
			continue;
		is_hidden = elf_has_hidden_version(file, &symbols, i);
		name = read_symbol_name(file, &symbols, &symbol);
		if (!name)
			continue;
		/*
		 * In .symtab the linker writes the version behind the name: one
		 * "@" stands before a hidden version, and two before the version
		 * that new programs get.
		 */
		const char *version = strchr(name, '@');

		is_hidden |= version && version > name && version[1] != '@' &&
			!string_is(version, "@plt");
		symtab_add_versioned(table, offset, offset + symbol.st_size,
			GELF_ST_BIND(symbol.st_info), name, is_hidden);
		if (symbol.st_size)
			continue;
		end = find_end(&ends, &symbol);
		if (end != UINT64_MAX &&
			address_to_offset(&segments, end, &offset))
			symtab_add_limit(table, offset);
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
	return (inner && elf_file_symbols(inner, file, ELF_SYMTAB, table)) ||
		go_symbols_add(file, table);
}

bool elf_file_addresses(
	struct elf_file *file, uint64_t moved, struct symtab *table)
{
	struct elf_symbols symbols = elf_open_symbols(file, SHT_SYMTAB);
	size_t i;

	for (i = 0; i < symbols.n; i++) {
		GElf_Sym symbol;
		const char *name = NULL;

		if (read_symbol(file, &symbols, i, &symbol))
			name = read_symbol_name(file, &symbols, &symbol);
		if (name)
			symtab_add(table, symbol.st_value + moved,
				symbol.st_value + moved + symbol.st_size,
				GELF_ST_BIND(symbol.st_info), name);
	}
	return symbols.n > 0;
}

static bool find_symbol_by_name(struct elf_file *file, enum elf_table which,
	const char *name, GElf_Sym *ret)
{
	struct elf_symbols symbols =
		elf_open_symbols(file, symbol_section_type(which));
	size_t i;

	for (i = 0; i < symbols.n; i++) {
		const char *found;
		unsigned type;

		if (!elf_read_symbol(file, &symbols, i, ret))
			continue;
		/* TLS, constants and sections have no address. */
		type = GELF_ST_TYPE(ret->st_info);
		if (!ret->st_name || ret->st_shndx == SHN_UNDEF ||
			ret->st_shndx == SHN_ABS ||
			(type != STT_FUNC && type != STT_OBJECT &&
				type != STT_NOTYPE && type != STT_GNU_IFUNC))
			continue;
		found = elf_name_at(file, &symbols.names, ret->st_name);
		if (!found || !string_is(found, name))
			continue;
		clear_thumb(&symbols, ret);
		return true;
	}
	return false;
}

/* Finds the symbol NAME in the tables of FILE, in the order of elf_file_find(). */
static bool find_symbol_in_tables(
	struct elf_file *file, const char *name, GElf_Sym *ret)
{
	struct elf_file *inner;

	if (find_symbol_by_name(file, ELF_SYMTAB, name, ret) ||
		find_symbol_by_name(file, ELF_DYNSYM, name, ret))
		return true;
	inner = elf_file_debugdata(file);
	return (inner && find_symbol_by_name(inner, ELF_SYMTAB, name, ret)) ||
		go_symbols_find(file, name, ret);
}

bool elf_file_find(
	struct elf_file *file, const char *name, struct elf_symbol *ret)
{
	struct segments segments = { 0 };
	GElf_Sym symbol;

	if (!find_symbol_in_tables(file, name, &symbol))
		return false;
	*ret = (struct elf_symbol){ symbol.st_value, symbol.st_size,
		UINT64_MAX };
	read_segments(file, &segments);
	address_to_offset(&segments, ret->address, &ret->offset);
	array_free(&segments.loads);
	return true;
}
