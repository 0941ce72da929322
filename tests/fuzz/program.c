/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/fuzz/program.h"

#include <elf.h>

#include "common/perf/record.h"

#define SECTIONS_MAX 10u

/* The file that is written. */
struct image {
	struct strbuf *file;
	struct strbuf names; /* of sections */
	Elf64_Shdr sections[SECTIONS_MAX];
	uint16_t n;
};

/* Starts a section at the end of the file; its size is set by end_section(). */
static Elf64_Shdr *begin_section(
	struct image *image, const char *name, uint32_t type)
{
	Elf64_Shdr *section = &image->sections[image->n++];

	strbuf_align(image->file, 8);
	section->sh_name = (uint32_t)image->names.n;
	strbuf_put(&image->names, name, strlen(name) + 1);
	section->sh_type = type;
	section->sh_offset = image->file->n;
	section->sh_addralign = 8;
	return section;
}

static void end_section(struct image *image, Elf64_Shdr *section)
{
	section->sh_size = image->file->n - section->sh_offset;
}

static void put_id(struct image *image, uint8_t id)
{
	static const uint32_t note[] = { 4, BUILD_ID_MAX, NT_GNU_BUILD_ID };
	Elf64_Shdr *section;

	if (!id)
		return;
	section = begin_section(image, ".note.gnu.build-id", SHT_NOTE);
	section->sh_addralign = 4;
	strbuf_put(image->file, note, sizeof(note));
	strbuf_put(image->file, "GNU", 4);
	strbuf_fill(image->file, (char)id, BUILD_ID_MAX);
	end_section(image, section);
}

static void put_debuglink(struct image *image, const char *name)
{
	Elf64_Shdr *section;

	if (!name)
		return;
	section = begin_section(image, ".gnu_debuglink", SHT_PROGBITS);
	strbuf_put(image->file, name, strlen(name) + 1);
	strbuf_align(image->file, 4);
	strbuf_put_u32(image->file, 0);
	end_section(image, section);
}

/* A table of functions, one after another, and the section of their names. */
static void put_functions(struct image *image, const char *const *functions,
	uint64_t base, uint32_t type)
{
	bool is_dynamic = type == SHT_DYNSYM;
	_cleanup_strbuf_ struct strbuf names = { 0 };
	Elf64_Sym symbol = { 0 };
	Elf64_Shdr *section;

	if (!functions)
		return;
	section =
		begin_section(image, is_dynamic ? ".dynsym" : ".symtab", type);
	section->sh_entsize = sizeof(symbol);
	section->sh_link = image->n;
	section->sh_info = 1;
	strbuf_put(image->file, &symbol, sizeof(symbol));
	strbuf_putc(&names, '\0');
	symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	symbol.st_shndx = 1;
	symbol.st_value = base + PROGRAM_CODE;
	symbol.st_size = PROGRAM_FUNCTION_SIZE;
	for (; *functions; functions++) {
		symbol.st_name = (uint32_t)names.n;
		strbuf_put(&names, *functions, strlen(*functions) + 1);
		strbuf_put(image->file, &symbol, sizeof(symbol));
		symbol.st_value += PROGRAM_FUNCTION_SIZE;
	}
	end_section(image, section);
	section = begin_section(
		image, is_dynamic ? ".dynstr" : ".strtab", SHT_STRTAB);
	strbuf_put(image->file, names.at, names.n);
	end_section(image, section);
}

static void put_code(struct image *image, uint64_t base)
{
	Elf64_Shdr *section;

	strbuf_fill(image->file, 0, PROGRAM_CODE - image->file->n);
	section = begin_section(image, ".text", SHT_PROGBITS);
	section->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	section->sh_addr = base + PROGRAM_CODE;
	strbuf_fill(image->file, (char)0x90, PROGRAM_CODE_SIZE);
	end_section(image, section);
}

void program_write(const struct program *program, struct strbuf *out)
{
	const Elf64_Phdr load = { .p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = program->base,
		.p_filesz = PROGRAM_CODE + PROGRAM_CODE_SIZE,
		.p_memsz = PROGRAM_CODE + PROGRAM_CODE_SIZE,
		.p_align = 0x1000 };
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				      ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr) };
	struct image image = { .file = out, .n = 1 };
	Elf64_Shdr *section;

	strbuf_putc(&image.names, '\0');
	strbuf_put(out, &header, sizeof(header));
	strbuf_put(out, &load, sizeof(load));
	put_code(&image, program->base);
	put_id(&image, program->id);
	put_functions(&image, program->exported, program->base, SHT_DYNSYM);
	put_functions(&image, program->functions, program->base, SHT_SYMTAB);
	put_debuglink(&image, program->debuglink);
	header.e_shstrndx = image.n;
	section = begin_section(&image, ".shstrtab", SHT_STRTAB);
	strbuf_put(out, image.names.at, image.names.n);
	end_section(&image, section);
	strbuf_align(out, 8);
	header.e_shnum = image.n;
	header.e_shoff = out->n;
	strbuf_put(out, image.sections, image.n * sizeof(*image.sections));
	memcpy(out->at, &header, sizeof(header));
	strbuf_free(&image.names);
}
