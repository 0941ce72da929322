/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the entries of procedure linkage tables (PLT): code that jumps to the
 * address in a word of memory (slot). The relocation of the slot contains the
 * function's name. Entries are therefore recognized in any section and any
 * order.
 */
#include "config.h"

#include <inttypes.h>

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/util/alloc.h"

/* Limits for damaged files. Data beyond a limit are skipped. */
#define SLOTS_MAX 1000000u
#define INDIRECTS_MAX 100000u
#define RELOCATIONS_MAX 10000000u
#define NAMES_SIZE_MAX MIB(64)
#define SECTION_SIZE_MAX MIB(64)
#define ENTRY_SIZE 16u
#define X86_STEP 8u
#define ARM_STEP 4u

/* A word of memory with the address that a PLT entry jumps to. */
struct plt_slot {
	uint64_t address;
	uint32_t name; /* offset in the names of .dynsym; 0: see .indirect */
	uint64_t indirect; /* address of the IFUNC resolver */
};

/* An IFUNC. The resolver has the name of the function that it selects. */
struct plt_indirect {
	uint64_t address;
	char *name; /* owned */
	uint8_t binding;
};

struct plt {
	struct elf_file *file;
	struct symtab *table;
	unsigned machine;
	struct elf_symbols dynamic;
	uint64_t got; /* address of _GLOBAL_OFFSET_TABLE_, %ebx on i386 */
	/* slots by address; the slots of .rela.plt in the order of .rela.plt */
	ARRAY(struct plt_slot) slots, lazy;
	ARRAY(struct plt_indirect) indirects; /* by address; read if needed */
	bool has_read_indirects;
	size_t names_size; /* bytes of all names */
};

static int compare_slots(const void *a, const void *b)
{
	const struct plt_slot *left = a, *right = b;

	return COMPARE(left->address, right->address);
}

static int compare_indirects(const void *a, const void *b)
{
	const struct plt_indirect *left = a, *right = b;

	if (left->address != right->address)
		return COMPARE(left->address, right->address);
	/* Prefer the names that symtab_finish() prefers: memcmp to bcmp. */
	if ((left->binding == STB_WEAK) != (right->binding == STB_WEAK))
		return left->binding == STB_WEAK ? 1 : -1;
	if (strspn(left->name, "_") != strspn(right->name, "_"))
		return COMPARE(
			strspn(left->name, "_"), strspn(right->name, "_"));
	return strcmp(left->name, right->name);
}

static void add_indirects(struct plt *plt, uint32_t type)
{
	struct elf_symbols symbols = elf_open_symbols(plt->file, type);
	GElf_Sym symbol;
	size_t i;

	for (i = 0; i < symbols.n && plt->indirects.n < INDIRECTS_MAX &&
		plt->names_size <= NAMES_SIZE_MAX &&
		!symtab_is_full(plt->table);
		i++) {
		const char *name;

		if (!elf_read_symbol(plt->file, &symbols, i, &symbol) ||
			GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC)
			continue;
		name = elf_symbol_name(plt->file, &symbols, &symbol);
		if (!name)
			continue;
		plt->names_size += strlen(name);
		*array_push(&plt->indirects) =
			(struct plt_indirect){ symbol.st_value, xstrdup(name),
				GELF_ST_BIND(symbol.st_info) };
	}
}

static void read_indirects(struct plt *plt)
{
	if (plt->has_read_indirects)
		return;
	plt->has_read_indirects = true;
	add_indirects(plt, SHT_DYNSYM);
	add_indirects(plt, SHT_SYMTAB);
	array_sort(&plt->indirects, compare_indirects);
}

static bool is_plt_relocation(const struct plt *plt, const GElf_Rela *rela)
{
	if (plt->machine == EM_386) {
		switch (GELF_R_TYPE(rela->r_info)) {
		/* Relocation types differ between i386 and x86-64. */
		case R_386_JMP_SLOT:
		case R_386_GLOB_DAT:
		case R_386_IRELATIVE: return true;
		default: return false;
		}
	}
	switch (GELF_R_TYPE(rela->r_info)) {
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_IRELATIVE: return plt->machine == EM_X86_64;
	case R_AARCH64_JUMP_SLOT:
	case R_AARCH64_GLOB_DAT:
	case R_AARCH64_IRELATIVE: return plt->machine == EM_AARCH64;
	default: return false;
	}
}

static uint32_t plt_word_at(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
		(uint32_t)at[3] << 24;
}

/* A section of relocations. Relocations of i386 have no addend. */
struct relocations {
	bool is_32;
	uint64_t offset, size; /* in the file */
	size_t each;
};

/* Reads relocation I: Elf32_Rel, Elf32_Rela or Elf64_Rela. */
static bool read_relocation(struct plt *plt,
	const struct relocations *relocations, size_t i, GElf_Rela *ret)
{
	uint8_t raw[sizeof(Elf64_Rela)] = { 0 }, word[4] = { 0 };
	struct bytes b =
		bytes_of(raw, relocations->each, plt->dynamic.is_swapped);
	uint64_t info;

	if (i >= relocations->size / relocations->each ||
		!elf_copy_bytes(plt->file,
			relocations->offset + i * relocations->each, raw,
			relocations->each))
		return false;
	if (!relocations->is_32) {
		ret->r_offset = bytes_u64(&b);
		ret->r_info = bytes_u64(&b);
		ret->r_addend = (int64_t)bytes_u64(&b);
		return true;
	}
	ret->r_offset = bytes_u32(&b);
	info = bytes_u32(&b);
	ret->r_info = GELF_R_INFO(ELF32_R_SYM(info), ELF32_R_TYPE(info));
	ret->r_addend = bytes_left(&b) ? (int32_t)bytes_u32(&b) : 0;
	/* In Elf32_Rel the addend is the word at r_offset. */
	if (plt->machine == EM_386 && ELF32_R_TYPE(info) == R_386_IRELATIVE &&
		elf_file_read(plt->file, ret->r_offset, word, sizeof(word)) ==
			sizeof(word))
		ret->r_addend = plt_word_at(word);
	return true;
}

static void read_relocations(struct plt *plt, const char *section, bool is_lazy)
{
	struct relocations relocations;
	GElf_Rela rela;
	size_t i;

	uint32_t type = plt->machine == EM_386 ? SHT_REL : SHT_RELA;
	GElf_Shdr header;

	if (!elf_find_section(plt->file, section, &header) ||
		header.sh_type != type || !elf_has_bytes(plt->file, &header))
		return;
	relocations.is_32 = plt->dynamic.is_32;
	relocations.offset = header.sh_offset;
	relocations.size = header.sh_size;
	relocations.each = type == SHT_REL ? sizeof(Elf32_Rel)
		: relocations.is_32	   ? sizeof(Elf32_Rela)
					   : sizeof(Elf64_Rela);

	for (i = 0; i < RELOCATIONS_MAX && plt->slots.n < SLOTS_MAX &&
		!symtab_is_full(plt->table) &&
		read_relocation(plt, &relocations, i, &rela);
		i++) {
		struct plt_slot slot = { .address = rela.r_offset,
			.indirect = (uint64_t)rela.r_addend };
		uint64_t number = GELF_R_SYM(rela.r_info);
		GElf_Sym symbol;

		if (number &&
			elf_read_symbol(
				plt->file, &plt->dynamic, number, &symbol))
			slot.name = symbol.st_name;

		if (is_plt_relocation(plt, &rela))
			*array_push(&plt->slots) = slot;
		if (is_lazy && plt->lazy.n < SLOTS_MAX)
			*array_push(&plt->lazy) = slot;
	}
}

static const struct plt_slot *find_slot(const struct plt *plt, uint64_t address)
{
	size_t i =
		array_count_before(&plt->slots, slot, slot->address < address);

	return i < plt->slots.n && plt->slots.at[i].address == address
		? &plt->slots.at[i]
		: NULL;
}

static char *plt_entry_name(struct plt *plt, const struct plt_slot *slot)
{
	const char *name = slot->name
		? elf_name_at(plt->file, &plt->dynamic.names, slot->name)
		: NULL;
	size_t i;

	if (name && *name)
		return xasprintf("%s@plt", name);
	read_indirects(plt);
	i = array_count_before(
		&plt->indirects, indirect, indirect->address < slot->indirect);
	if (i < plt->indirects.n &&
		plt->indirects.at[i].address == slot->indirect)
		return xasprintf("%s@plt", plt->indirects.at[i].name);
	return xasprintf("*ABS*+0x%" PRIx64 "@plt", slot->indirect);
}

/*
 * Decodes [endbr32] jmp *slot, or jmp *slot-got(%ebx) in position-independent
 * code, or [endbr32] push $offset with the offset of the relocation.
 */
static const struct plt_slot *decode_plt_386(
	const struct plt *plt, const uint8_t *at)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	bool is_marked = !memcmp(at, endbr, sizeof(endbr));
	uint32_t number;

	at += is_marked ? sizeof(endbr) : 0;
	if (is_marked && at[0] == 0x68) {
		number = plt_word_at(at + 1) / sizeof(Elf32_Rel);
		return number < plt->lazy.n ? &plt->lazy.at[number] : NULL;
	}
	if (at[0] != 0xff || (at[1] != 0x25 && at[1] != 0xa3))
		return NULL;
	return find_slot(plt,
		(uint32_t)(plt_word_at(at + 2) +
			(at[1] == 0xa3 ? plt->got : 0)));
}

/* A possible PLT entry of ENTRY_SIZE bytes, and the next ENTRY_SIZE bytes. */
struct plt_piece {
	uint8_t at[2 * ENTRY_SIZE];
	uint64_t address, offset; /* linked address; file offset */
	size_t size;		  /* from .address to the end of the section */
};

static const struct plt_slot *decode_plt_entry(
	const struct plt *plt, const uint8_t *at, uint64_t address)
{
	switch (plt->machine) {
	case EM_386: return decode_plt_386(plt, at);
	case EM_X86_64: {
		/*
		 * [endbr64] [bnd] jmp *slot(%rip), or the entry for lazy
		 * binding, [endbr64] push $number.
		 */
		static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
		const uint8_t *start = at;
		bool is_marked = !memcmp(at, endbr, sizeof(endbr));

		at += is_marked ? sizeof(endbr) : 0;
		if (is_marked && at[0] == 0x68)
			return plt_word_at(at + 1) < plt->lazy.n
				? &plt->lazy.at[plt_word_at(at + 1)]
				: NULL;
		at += at[0] == 0xf2;
		if (at[0] != 0xff || at[1] != 0x25)
			return NULL;
		at += 6;
		return find_slot(plt,
			address + (uint64_t)(at - start) +
				(uint64_t)(int64_t)(int32_t)plt_word_at(
					at - 4));
	}
	default: {
		/* [bti c] adrp x16, page; ldr x17, [x16, #low]. */
		uint32_t skip = plt_word_at(at) == 0xd503245f ? ARM_STEP : 0;
		uint32_t adrp = plt_word_at(at + skip),
			 ldr = plt_word_at(at + skip + 4);
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
	}
}

/*
 * Adds the name of the PLT entry at PIECE, if PIECE is an entry. Returns the
 * number of bytes to advance.
 */
static size_t name_plt_entry(struct plt *plt, const struct plt_piece *piece)
{
	const struct plt_slot *slot =
		decode_plt_entry(plt, piece->at, piece->address);
	_cleanup_free_ char *name = NULL;
	size_t size;

	if (!slot)
		return plt->machine == EM_AARCH64 ? ARM_STEP : X86_STEP;
	if (plt->names_size > NAMES_SIZE_MAX)
		return piece->size;
	/* The entries of some linkers have only eight bytes. */
	size = plt->machine != EM_AARCH64 && piece->size >= 2 * X86_STEP &&
			decode_plt_entry(plt, piece->at + X86_STEP,
				piece->address + X86_STEP)
		? X86_STEP
		: MIN(piece->size, (size_t)ENTRY_SIZE);
	if (!symtab_wants(plt->table, piece->offset, piece->offset + size))
		return size;
	name = plt_entry_name(plt, slot);
	plt->names_size += strlen(name);
	symtab_add(plt->table, piece->offset, piece->offset + size, STB_GLOBAL,
		name);
	return size;
}

static void name_plt_section(struct plt *plt, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(plt->file, name, &header);
	uint64_t size = 0, i = 0;

	if (section && header.sh_type == SHT_PROGBITS &&
		elf_has_bytes(plt->file, &header))
		size = MIN(header.sh_size, (uint64_t)SECTION_SIZE_MAX);
	while (i < size && !symtab_is_full(plt->table)) {
		struct plt_piece piece = {
			.address = header.sh_addr + i,
			.offset = header.sh_offset + i,
			.size = size - i,
		};

		if (!elf_copy_bytes(plt->file, piece.offset, piece.at,
			    MIN(sizeof(piece.at), piece.size)))
			return;
		i += name_plt_entry(plt, &piece);
	}
}

void elf_file_plt(struct elf_file *file, struct symtab *table)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got",
		".iplt" };
	struct plt plt = {
		.file = file, .table = table, .machine = elf_file_machine(file)
	};
	bool is_386;
	size_t i;

	if (plt.machine != EM_X86_64 && plt.machine != EM_AARCH64 &&
		plt.machine != EM_386)
		return;
	uint64_t got = elf_file_section_address(file, ".got.plt");
	plt.got = got ? got : elf_file_section_address(file, ".got");
	plt.dynamic = elf_open_symbols(file, SHT_DYNSYM);
	is_386 = plt.machine == EM_386;
	read_relocations(&plt, is_386 ? ".rel.plt" : ".rela.plt", true);
	read_relocations(&plt, is_386 ? ".rel.dyn" : ".rela.dyn", false);
	array_sort(&plt.slots, compare_slots);
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		name_plt_section(&plt, sections[i]);
	array_free(&plt.slots);
	array_free(&plt.lazy);
	array_each(&plt.indirects, indirect)
		free(indirect->name);
	array_free(&plt.indirects);
}
