/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/symbol_file.h"

#include <elf.h>

#define PAGE_SIZE 4096u
#define NOTE_NAME "GNU"

enum {
	SECTION_NULL,
	SECTION_NOTE,
	SECTION_TEXT,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_NAMES,
	N_SECTIONS,
};
enum { SEGMENT_CODE, SEGMENT_NOTE, N_SEGMENTS };

/* The program headers, which come first, and the section headers, last. */
struct parts {
	Elf64_Phdr segments[N_SEGMENTS];
	Elf64_Shdr sections[N_SECTIONS];
};

unsigned symbol_file_machine(const char *arch)
{
	static const struct {
		const char *arch;
		unsigned machine;
	} known[] = {
		{ "x86_64", EM_X86_64 },
		{ "aarch64", EM_AARCH64 },
		{ "riscv64", EM_RISCV },
		{ "ppc64le", EM_PPC64 },
		{ "ppc64", EM_PPC64 },
		{ "s390x", EM_S390 },
	};
	size_t i;

	for (i = 0; arch && i < ARRAY_SIZE(known); i++)
		if (string_is(known[i].arch, arch))
			return known[i].machine;
	return EM_NONE;
}

static void put_elf_header(
	unsigned machine, uint64_t sections, struct strbuf *out)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			ELFDATA2LSB,
#else
			ELFDATA2MSB,
#endif
			EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = (Elf64_Half)machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = sections,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = N_SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = N_SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};

	memcpy(out->at, &header, sizeof(header));
}

/* Describes SECTION, which starts at FROM and ends at the end of OUT. */
static void end_section(Elf64_Shdr *section, uint32_t type, size_t from,
	const struct strbuf *out)
{
	section->sh_type = type;
	section->sh_offset = from;
	section->sh_size = out->n - from;
}

static void put_build_id_note(
	const struct build_id *id, struct parts *parts, struct strbuf *out)
{
	Elf64_Nhdr note = { sizeof(NOTE_NAME), id->size, NT_GNU_BUILD_ID };
	Elf64_Shdr *section = &parts->sections[SECTION_NOTE];
	size_t from = out->n;

	strbuf_put(out, &note, sizeof(note));
	strbuf_put(out, NOTE_NAME, sizeof(NOTE_NAME));
	strbuf_put(out, id->bytes, id->size);
	strbuf_align(out, 4);
	end_section(section, SHT_NOTE, from, out);
	section->sh_addralign = 4;
	parts->segments[SEGMENT_NOTE] = (Elf64_Phdr){
		.p_type = PT_NOTE,
		.p_flags = PF_R,
		.p_offset = from,
		.p_filesz = section->sh_size,
		.p_memsz = section->sh_size,
		.p_align = 4,
	};
}

/* Describes the code up to END. The file does not contain its bytes. */
static void set_code_section(uint64_t end, struct parts *parts)
{
	Elf64_Shdr *text = &parts->sections[SECTION_TEXT];

	text->sh_type = SHT_NOBITS;
	text->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	text->sh_size = end;
	text->sh_addralign = 1;
	parts->segments[SEGMENT_CODE] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = end,
		.p_memsz = end,
		.p_align = PAGE_SIZE,
	};
}

static void put_symbols(
	const struct symtab *table, struct parts *parts, struct strbuf *out)
{
	Elf64_Shdr *section = &parts->sections[SECTION_SYMTAB];
	Elf64_Sym none = { 0 };
	size_t from, name = 1;

	strbuf_align(out, 8);
	from = out->n;
	strbuf_put(out, &none, sizeof(none));
	array_each(&table->symbols, symbol) {
		Elf64_Sym one = {
			.st_name = (Elf64_Word)name,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SECTION_TEXT,
			.st_value = symbol->start,
			.st_size = symbol->end - symbol->start,
		};

		strbuf_put(out, &one, sizeof(one));
		name += strlen(symtab_name(table, symbol)) + 1;
	}
	end_section(section, SHT_SYMTAB, from, out);
	section->sh_link = SECTION_STRTAB;
	section->sh_info = 1; /* index of the first global symbol */
	section->sh_addralign = 8;
	section->sh_entsize = sizeof(none);
	from = out->n;
	strbuf_putc(out, '\0');
	array_each(&table->symbols, symbol) {
		const char *text = symtab_name(table, symbol);

		strbuf_put(out, text, strlen(text) + 1);
	}
	end_section(&parts->sections[SECTION_STRTAB], SHT_STRTAB, from, out);
}

static void put_section_names(struct parts *parts, struct strbuf *out)
{
	static const char *const names[N_SECTIONS] = { "", ".note.gnu.build-id",
		".text", ".symtab", ".strtab", ".shstrtab" };
	size_t from = out->n, i;

	for (i = 0; i < N_SECTIONS; i++) {
		parts->sections[i].sh_name = (Elf64_Word)(out->n - from);
		strbuf_put(out, names[i], strlen(names[i]) + 1);
	}
	end_section(&parts->sections[SECTION_NAMES], SHT_STRTAB, from, out);
}

void symbol_file_put(const struct build_id *id, unsigned machine,
	const struct symtab *table, struct strbuf *out)
{
	struct parts parts = { 0 };
	uint64_t end = PAGE_SIZE;

	array_each(&table->symbols, symbol)
		end = MAX(end, symbol->end);
	strbuf_fill(out, '\0', sizeof(Elf64_Ehdr) + sizeof(parts.segments));
	put_build_id_note(id, &parts, out);
	set_code_section(MAX(end, ALIGN_UP(end, PAGE_SIZE)), &parts);
	put_symbols(table, &parts, out);
	put_section_names(&parts, out);
	strbuf_align(out, 8);
	put_elf_header(machine, out->n, out);
	memcpy(out->at + sizeof(Elf64_Ehdr), parts.segments,
		sizeof(parts.segments));
	strbuf_put(out, parts.sections, sizeof(parts.sections));
}
