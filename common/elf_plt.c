/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of what linkers make to call functions of other files: pieces of code
 * that jump to where a word of memory says. Which function that will be, the
 * word's relocation tells. So it doesn't matter which of the sections it is, nor
 * in what order they stand.
 */
#include "config.h"

#include <inttypes.h>

#include "common/alloc.h"
#include "common/elf.h"
#include "common/elf_private.h"

/* A hostile file's tables are read no further. */
#define SLOTS_MAX 1000000u
#define INDIRECTS_MAX 100000u
#define NAMES_SIZE_MAX MIB(64)
#define ENTRY_SIZE 16u
#define X86_STEP 8u
#define ARM_STEP 4u

/* A word that code jumps by. */
struct slot {
	uint64_t address;
	const char *name; /* borrowed from the file; NULL: see .indirect */
	uint64_t indirect; /* the address of what chooses the function */
};

/* An IFUNC: what chooses is called as what is chosen. */
struct indirect {
	uint64_t address;
	const char *name; /* borrowed from the file */
	uint8_t binding;
};

struct plt {
	struct elf_file *file;
	struct symtab *table;
	unsigned machine;
	uint64_t got; /* _GLOBAL_OFFSET_TABLE_, i386's %ebx */
	ARRAY(struct slot) slots, lazy; /* by address; in .rela.plt's order */
	ARRAY(struct indirect) indirects; /* by address */
	size_t names_size; /* bytes of all names */
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot *left = a, *right = b;

	return COMPARE(left->address, right->address);
}

static int compare_indirects(const void *a, const void *b)
{
	const struct indirect *left = a, *right = b;

	if (left->address != right->address)
		return COMPARE(left->address, right->address);
	/* memcmp rather than bcmp, as of other functions (symtab.h). */
	if ((left->binding == STB_WEAK) != (right->binding == STB_WEAK))
		return left->binding == STB_WEAK ? 1 : -1;
	if (strspn(left->name, "_") != strspn(right->name, "_"))
		return COMPARE(strspn(left->name, "_"),
			strspn(right->name, "_"));
	return strcmp(left->name, right->name);
}

static void read_indirects(struct plt *plt, uint32_t type)
{
	struct elf_symbols symbols = elf_open_symbols(plt->file, type);
	GElf_Sym symbol;
	size_t i;

	for (i = 0; i < symbols.n && plt->indirects.n < INDIRECTS_MAX; i++) {
		const char *name;

		if (!gelf_getsym(symbols.data, (int)i, &symbol) ||
			GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC)
			continue;
		name = elf_symbol_name(plt->file, &symbols, &symbol);
		if (name)
			*array_push(&plt->indirects) =
				(struct indirect){ symbol.st_value, name,
					GELF_ST_BIND(symbol.st_info) };
	}
}

/* By numbers that are others of x86-64. */
static bool is_jump_386(const GElf_Rela *rela)
{
	switch (GELF_R_TYPE(rela->r_info)) {
	case R_386_JMP_SLOT:
	case R_386_GLOB_DAT:
	case R_386_IRELATIVE:
		return true;
	default:
		return false;
	}
}

static bool is_jump(const struct plt *plt, const GElf_Rela *rela)
{
	if (plt->machine == EM_386)
		return is_jump_386(rela);
	switch (GELF_R_TYPE(rela->r_info)) {
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_IRELATIVE:
		return plt->machine == EM_X86_64;
	case R_AARCH64_JUMP_SLOT:
	case R_AARCH64_GLOB_DAT:
	case R_AARCH64_IRELATIVE:
		return plt->machine == EM_AARCH64;
	default:
		return false;
	}
}

static struct slot slot_of(const struct plt *plt,
	const struct elf_symbols *dynamic, const GElf_Rela *rela)
{
	struct slot slot = { .address = rela->r_offset,
		.indirect = (uint64_t)rela->r_addend };
	uint64_t number = GELF_R_SYM(rela->r_info);
	GElf_Sym symbol;

	if (number && number < dynamic->n &&
		gelf_getsym(dynamic->data, (int)number, &symbol))
		slot.name = elf_strptr(
			plt->file->elf, dynamic->names, symbol.st_name);
	return slot;
}

static uint32_t word_at(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
		(uint32_t)at[3] << 24;
}

/* Of those without addends (i386) it is what the place holds. */
static bool get_relocation(struct plt *plt, Elf_Data *data, uint32_t type,
	int i, GElf_Rela *ret)
{
	uint8_t word[4] = { 0 };
	GElf_Rel rel;

	if (type == SHT_RELA)
		return gelf_getrela(data, i, ret);
	if (!gelf_getrel(data, i, &rel))
		return false;
	*ret = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	if (GELF_R_TYPE(rel.r_info) == R_386_IRELATIVE &&
		elf_file_read(plt->file, rel.r_offset, word, sizeof(word)) ==
			sizeof(word))
		ret->r_addend = word_at(word);
	return true;
}

static void read_relocations(
	struct plt *plt, const char *section, bool is_lazy)
{
	struct elf_symbols dynamic = elf_open_symbols(plt->file, SHT_DYNSYM);
	uint32_t type = plt->machine == EM_386 ? SHT_REL : SHT_RELA;
	GElf_Shdr header;
	Elf_Scn *found = elf_find_section(plt->file, section, &header);
	Elf_Data *data = found ? elf_section_data(found, &header) : NULL;
	GElf_Rela rela;
	int i;

	if (!data || header.sh_type != type)
		return;
	for (i = 0; plt->slots.n < SLOTS_MAX &&
		get_relocation(plt, data, type, i, &rela);
		i++) {
		struct slot slot = slot_of(plt, &dynamic, &rela);

		if (is_jump(plt, &rela))
			*array_push(&plt->slots) = slot;
		if (is_lazy)
			*array_push(&plt->lazy) = slot;
	}
}

static const struct slot *find_slot(const struct plt *plt, uint64_t address)
{
	size_t i = array_count_before(
		&plt->slots, slot, slot->address < address);

	return i < plt->slots.n && plt->slots.at[i].address == address
		? &plt->slots.at[i]
		: NULL;
}

static char *name_of(const struct plt *plt, const struct slot *slot)
{
	size_t i;

	if (slot->name && *slot->name)
		return xasprintf("%s@plt", slot->name);
	i = array_count_before(&plt->indirects, indirect,
		indirect->address < slot->indirect);
	if (i < plt->indirects.n &&
		plt->indirects.at[i].address == slot->indirect)
		return xasprintf("%s@plt", plt->indirects.at[i].name);
	return xasprintf("*ABS*+0x%" PRIx64 "@plt", slot->indirect);
}

/*
 * [endbr64] [bnd] jmp *slot(%rip); or, before functions were looked up, [endbr64]
 * push $number. NULL: something else.
 */
static const struct slot *decode_x86(
	const struct plt *plt, const uint8_t *at, uint64_t address)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *start = at;
	bool is_marked = !memcmp(at, endbr, sizeof(endbr));

	at += is_marked ? sizeof(endbr) : 0;
	if (is_marked && at[0] == 0x68)
		return word_at(at + 1) < plt->lazy.n
			? &plt->lazy.at[word_at(at + 1)]
			: NULL;
	at += at[0] == 0xf2;
	if (at[0] != 0xff || at[1] != 0x25)
		return NULL;
	at += 6;
	return find_slot(plt,
		address + (uint64_t)(at - start) +
			(uint64_t)(int64_t)(int32_t)word_at(at - 4));
}

/*
 * [endbr32] jmp *slot, or where code may be anywhere jmp *slot-got(%ebx); or
 * [endbr32] push $offset, of the relocation.
 */
static const struct slot *decode_386(const struct plt *plt, const uint8_t *at)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	bool is_marked = !memcmp(at, endbr, sizeof(endbr));
	uint32_t number;

	at += is_marked ? sizeof(endbr) : 0;
	if (is_marked && at[0] == 0x68) {
		number = word_at(at + 1) / sizeof(Elf32_Rel);
		return number < plt->lazy.n ? &plt->lazy.at[number] : NULL;
	}
	if (at[0] != 0xff || (at[1] != 0x25 && at[1] != 0xa3))
		return NULL;
	return find_slot(plt,
		(uint32_t)(word_at(at + 2) + (at[1] == 0xa3 ? plt->got : 0)));
}

/* [bti c] adrp x16, page; ldr x17, [x16, #low] */
static const struct slot *decode_arm(
	const struct plt *plt, const uint8_t *at, uint64_t address)
{
	uint32_t skip = word_at(at) == 0xd503245f ? ARM_STEP : 0;
	uint32_t adrp = word_at(at + skip), ldr = word_at(at + skip + 4);
	uint64_t pages;

	if ((adrp & 0x9f00001f) != 0x90000010 ||
		(ldr & 0xffc003ff) != 0xf9400211)
		return NULL;
	pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	if (pages & 0x100000)
		pages |= ~UINT64_C(0x1fffff);
	return find_slot(plt,
		((address + skip) & ~UINT64_C(0xfff)) + (pages << 12) +
			(ldr >> 10 & 0xfff) * 8);
}

/* A piece of code that may be an entry, and that much behind it. */
struct piece {
	uint8_t at[2 * ENTRY_SIZE];
	uint64_t address, offset; /* as linked; in the file */
	size_t size; /* up to the section's end */
};

static const struct slot *decode(
	const struct plt *plt, const uint8_t *at, uint64_t address)
{
	switch (plt->machine) {
	case EM_386:
		return decode_386(plt, at);
	case EM_X86_64:
		return decode_x86(plt, at, address);
	default:
		return decode_arm(plt, at, address);
	}
}

static size_t step_of(const struct plt *plt)
{
	return plt->machine == EM_AARCH64 ? ARM_STEP : X86_STEP;
}

/* Some linkers make entries of eight bytes, which the next one tells. */
static size_t size_of(const struct plt *plt, const struct piece *piece)
{
	if (plt->machine != EM_AARCH64 && piece->size >= 2 * X86_STEP &&
		decode(plt, piece->at + X86_STEP, piece->address + X86_STEP))
		return X86_STEP;
	return MIN(piece->size, (size_t)ENTRY_SIZE);
}

/* Gives the bytes to go on behind. */
static size_t name_piece(struct plt *plt, const struct piece *piece)
{
	const struct slot *slot = decode(plt, piece->at, piece->address);
	_cleanup_free_ char *name = NULL;
	size_t size;

	if (!slot)
		return step_of(plt);
	if (plt->names_size > NAMES_SIZE_MAX)
		return piece->size;
	size = size_of(plt, piece);
	name = name_of(plt, slot);
	plt->names_size += strlen(name);
	symtab_add(plt->table, piece->offset, piece->offset + size, STB_GLOBAL,
		name);
	return size;
}

static void name_section(struct plt *plt, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(plt->file, name, &header);
	Elf_Data *data = section ? elf_section_data(section, &header) : NULL;
	size_t i = 0;

	if (!data || !data->d_buf || header.sh_type != SHT_PROGBITS)
		return;
	while (i < data->d_size) {
		struct piece piece = {
			.address = header.sh_addr + i,
			.offset = header.sh_offset + i,
			.size = data->d_size - i,
		};

		memcpy(piece.at, (const uint8_t *)data->d_buf + i,
			MIN(sizeof(piece.at), piece.size));
		i += name_piece(plt, &piece);
	}
}

static uint64_t find_got(struct elf_file *file)
{
	uint64_t got = elf_file_section_address(file, ".got.plt");

	return got ? got : elf_file_section_address(file, ".got");
}

void elf_file_plt(struct elf_file *file, struct symtab *table)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got",
		".iplt" };
	struct plt plt = { .file = file,
		.table = table,
		.machine = elf_file_machine(file) };
	bool is_386;
	size_t i;

	if (plt.machine != EM_X86_64 && plt.machine != EM_AARCH64 &&
		plt.machine != EM_386)
		return;
	plt.got = find_got(file);
	is_386 = plt.machine == EM_386;
	read_relocations(&plt, is_386 ? ".rel.plt" : ".rela.plt", true);
	read_relocations(&plt, is_386 ? ".rel.dyn" : ".rela.dyn", false);
	read_indirects(&plt, SHT_DYNSYM);
	read_indirects(&plt, SHT_SYMTAB);
	array_sort(&plt.slots, compare_slots);
	array_sort(&plt.indirects, compare_indirects);
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		name_section(&plt, sections[i]);
	array_free(&plt.slots);
	array_free(&plt.lazy);
	array_free(&plt.indirects);
}
