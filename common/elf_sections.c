/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf.h"
#include "common/elf_private.h"

/* The smallest pages. */
#define PAGE_MASK UINT64_C(0xfff)

int elf_file_fd(const struct elf_file *file)
{
	return file->fd;
}

unsigned elf_file_machine(struct elf_file *file)
{
	GElf_Ehdr header;

	return gelf_getehdr(file->elf, &header) ? header.e_machine : EM_NONE;
}

/* Whether the bytes that HEADER promises, uncompressed, are at most MAX. */
static bool is_within(Elf_Scn *section, const GElf_Shdr *header, uint64_t max)
{
	GElf_Chdr packed;

	if (header->sh_size > max)
		return false;
	if (!(header->sh_flags & SHF_COMPRESSED))
		return true;
	return gelf_getchdr(section, &packed) && packed.ch_size <= max;
}

bool elf_file_section(struct elf_file *file, const char *name, uint64_t max,
	struct elf_section *ret)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(file, name, &header);
	Elf_Data *data;

	memset(ret, 0, sizeof(*ret));
	if (!section || !is_within(section, &header, max))
		return false;
	data = elf_section_data(section, &header);
	if (!data || !data->d_buf)
		return false;
	ret->at = data->d_buf;
	ret->size = data->d_size;
	ret->address = header.sh_addr;
	return true;
}

uint64_t elf_file_section_address(struct elf_file *file, const char *name)
{
	GElf_Shdr header;

	return elf_find_section(file, name, &header) ? header.sh_addr : 0;
}

bool elf_file_code(
	struct elf_file *file, uint64_t *start_ret, uint64_t *end_ret)
{
	size_t n, i;

	*start_ret = UINT64_MAX;
	*end_ret = 0;
	if (elf_getphdrnum(file->elf, &n) < 0)
		return false;
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++) {
		GElf_Phdr header;
		uint64_t end;

		if (!gelf_getphdr(file->elf, (int)i, &header) ||
			header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
			__builtin_add_overflow(
				header.p_vaddr, header.p_memsz, &end))
			continue;
		*start_ret = MIN(*start_ret, header.p_vaddr);
		*end_ret = MAX(*end_ret, end);
	}
	return *start_ret < *end_ret;
}

void elf_file_set_code_offset(struct elf_file *file, uint64_t offset)
{
	uint64_t start, end;

	if (offset == UINT64_MAX || !elf_file_code(file, &start, &end))
		return;
	file->has_code_offset = true;
	file->code_offset = offset;
	file->code_address = start & ~PAGE_MASK;
}

/* objcopy leaves nothing of a segment that isn't debug information. */
static bool is_bare(const struct elf_file *file, const GElf_Phdr *header)
{
	return file->has_code_offset && !header->p_filesz &&
		header->p_flags & PF_X;
}

uint64_t elf_load_offset(const struct elf_file *file, const GElf_Phdr *header)
{
	return is_bare(file, header)
		? header->p_vaddr - file->code_address + file->code_offset
		: header->p_offset;
}

uint64_t elf_load_size(const struct elf_file *file, const GElf_Phdr *header)
{
	return is_bare(file, header) ? header->p_memsz : header->p_filesz;
}

uint64_t elf_file_address(struct elf_file *file, uint64_t offset)
{
	size_t n, i;

	if (elf_getphdrnum(file->elf, &n) < 0)
		return offset;
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++) {
		uint64_t start, page;
		GElf_Phdr header;

		if (!gelf_getphdr(file->elf, (int)i, &header) ||
			header.p_type != PT_LOAD || !(header.p_flags & PF_X))
			continue;
		/* Mappings begin with a page, segments where they like. */
		start = elf_load_offset(file, &header);
		page = start & ~PAGE_MASK;
		if (offset >= page &&
			offset - page < elf_load_size(file, &header) +
					(start & PAGE_MASK))
			return header.p_vaddr - start + offset;
	}
	return offset;
}
