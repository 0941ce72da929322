/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/check/mapped_files.h"

/* Limit of the size of .eh_frame and .eh_frame_hdr. */
#define SECTION_MAX MIB(128)

void mapped_files_init(struct mapped_files *mapped, struct files *files)
{
	*mapped = (struct mapped_files){ .maps = files_maps(files),
		.files = files };
}

void mapped_files_deinit(struct mapped_files *mapped)
{
	array_each(&mapped->at, file)
		elf_file_close(file->code.elf);
	array_free(&mapped->at);
}

bool mapped_files_find(
	void *data, uint32_t space, uint64_t pc, struct judged_code *ret)
{
	struct mapped_files *mapped = data;
	const struct mapping *mapping = maps_find(mapped->maps, space, pc);
	uint64_t offset;

	if (!mapping || mapping->is_data)
		return false;
	offset = pc - mapping->start + mapping->offset;
	while (mapped->at.n <= mapping->dso)
		*array_push(&mapped->at) = (struct mapped_file){ 0 };
	if (!mapped->at.at[mapping->dso].is_searched) {
		/* OFFSET is an offset in the file that samples hit. */
		uint32_t dso = mapping->dso;
		struct mapped_file *file = &mapped->at.at[dso];
		struct judged_code *code = &file->code;
		enum file_trust trust;

		file->is_searched = true;
		code->dso = dso;
		code->elf = files_fetch(mapped->files, dso, offset, &trust);
		if (code->elf) {
			elf_file_section(code->elf, ".eh_frame", SECTION_MAX,
				&code->eh_frame);
			elf_file_section(code->elf, ".eh_frame_hdr",
				SECTION_MAX, &code->eh_frame_hdr);
		}
	}
	*ret = mapped->at.at[mapping->dso].code;
	ret->bias =
		pc - (ret->elf ? elf_file_address(ret->elf, offset) : offset);
	return true;
}
