/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "make_elf.h"

#include <elf.h>
#include <stdio.h>

#include "common/util/strbuf.h"
#include "testing.h"

/* CIE: version 1, "zR", addresses absolute in 64 bits; CFA = rsp + 8. */
static const uint8_t cie[] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78,
	16, 1, 0x04, 0x0c, 7, 8, 0x90, 1, 0, 0 };

static void put_fde(
	struct strbuf *out, size_t start, unsigned i, unsigned frame)
{
	uint32_t head[2] = { 28, (uint32_t)(out->n - start + 4) };
	uint64_t code[2] = { MADE_ELF_CODE + i * MADE_ELF_FUNCTION,
		MADE_ELF_FUNCTION };
	/* No augmentation data; after 4 bytes of code, CFA = rsp + FRAME. */
	uint8_t rest[8] = { 0, 0x44, 0x0e, (uint8_t)frame };

	strbuf_put(out, (const char *)head, sizeof(head));
	strbuf_put(out, (const char *)code, sizeof(code));
	strbuf_put(out, (const char *)rest, sizeof(rest));
}

void made_elf_write(const char *path, unsigned n, unsigned frame)
{
	static const char names[] = "\0.eh_frame\0.note.gnu.build-id\0.strtab";
	static const uint32_t note[] = { 4, 8, NT_GNU_BUILD_ID, 0x554e47, 1,
		2 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				      ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4,
		.e_shstrndx = 3 };
	Elf64_Phdr code = { .p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = MADE_ELF_CODE,
		.p_memsz = (uint64_t)n * MADE_ELF_FUNCTION };
	Elf64_Shdr sections[4] = { { 0 } };
	unsigned i;
	FILE *file;

	strbuf_put(&out, (const char *)&header, sizeof(header));
	strbuf_put(&out, (const char *)&code, sizeof(code));
	sections[3] = (Elf64_Shdr){ .sh_name = 30,
		.sh_type = SHT_STRTAB,
		.sh_offset = out.n,
		.sh_size = sizeof(names) };
	strbuf_put(&out, names, sizeof(names));
	while (out.n & 7)
		strbuf_put(&out, "", 1);
	sections[2] = (Elf64_Shdr){ .sh_name = 11,
		.sh_type = SHT_NOTE,
		.sh_offset = out.n,
		.sh_size = sizeof(note),
		.sh_addralign = 4 };
	strbuf_put(&out, (const char *)note, sizeof(note));
	sections[1] = (Elf64_Shdr){ .sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_offset = out.n,
		.sh_addr = 0x1000,
		.sh_addralign = 8 };
	strbuf_put(&out, (const char *)cie, sizeof(cie));
	for (i = 0; i < n; i++)
		put_fde(&out, sections[1].sh_offset, i, frame);
	sections[1].sh_size = out.n - sections[1].sh_offset;
	header.e_shoff = out.n;
	strbuf_put(&out, (const char *)sections, sizeof(sections));
	memcpy(out.at, &header, sizeof(header));
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(out.at, 1, out.n, file), out.n);
	fclose(file);
}
