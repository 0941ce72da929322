/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds .eh_frame and the table of .eh_frame_hdr by the program headers of a file, which
 * may have no section headers.
 */
#include "config.h"

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/util/bytes.h"

/*
 * Limit of .eh_frame_hdr (LSB 5, 10.6.2) in bytes, and the pointer encodings
 * that linkers use in .eh_frame_hdr (LSB 5, 10.5.1).
 */
#define HDR_MAX MIB(64)
#define PCREL_S32 0x1b
#define ABSOLUTE_U32 0x03
#define DATAREL_S32 0x3b

static bool find_eh_frame_header(struct elf_file *file, GElf_Phdr *ret)
{
	size_t n, i;

	if (elf_getphdrnum(file->elf, &n) < 0)
		return false;
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++)
		if (gelf_getphdr(file->elf, (int)i, ret) &&
			ret->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

/* Reads from ADDRESS to the end of ADDRESS's segment, at most MAX bytes. */
static bool read_segment(struct elf_file *file, uint64_t address, uint64_t max,
	struct elf_section *ret)
{
	size_t n, i;

	if (elf_getphdrnum(file->elf, &n) < 0)
		return false;
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++) {
		GElf_Phdr header;
		uint64_t at, size;
		Elf_Data *data;

		if (!gelf_getphdr(file->elf, (int)i, &header) ||
			header.p_type != PT_LOAD ||
			address - header.p_vaddr >= header.p_filesz)
			continue;
		at = address - header.p_vaddr;
		size = MIN(header.p_filesz - at, max);
		data = elf_getdata_rawchunk(file->elf,
			(int64_t)(header.p_offset + at), (size_t)size,
			ELF_T_BYTE);
		if (!data || !data->d_buf)
			return false;
		*ret = (struct elf_section){ data->d_buf, data->d_size,
			address };
		return true;
	}
	return false;
}

/* The content of .eh_frame_hdr. */
struct frames_header {
	uint64_t frames; /* linked address of .eh_frame */
	struct elf_functions functions;
};

/* Returns false if FILE has no .eh_frame_hdr with the usual encodings. */
static bool read_frames_header(struct elf_file *file, struct frames_header *ret)
{
	bool is_swapped = elf_is_swapped(elf_file_kind(file).order);
	unsigned version, pointer, count, table;
	struct elf_section hdr;
	GElf_Phdr header;
	struct bytes b;
	uint32_t n;

	*ret = (struct frames_header){ .functions.is_swapped = is_swapped };
	if (!find_eh_frame_header(file, &header) ||
		!read_segment(file, header.p_vaddr, HDR_MAX, &hdr))
		return false;
	b = bytes_of(hdr.at, hdr.size, is_swapped);
	version = bytes_u8(&b);
	pointer = bytes_u8(&b);
	count = bytes_u8(&b);
	table = bytes_u8(&b);
	ret->frames = header.p_vaddr + 4 + (uint64_t)(int32_t)bytes_u32(&b);
	ret->functions.base = header.p_vaddr;
	if (!b.ok || version != 1 || pointer != PCREL_S32)
		return false;
	if (count != ABSOLUTE_U32 || table != DATAREL_S32)
		return true;
	n = bytes_u32(&b);
	ret->functions.at = hdr.at + (hdr.size - bytes_left(&b));
	ret->functions.n = MIN(n, bytes_left(&b) / ELF_FUNCTION_SIZE);
	return true;
}

bool elf_file_frames(struct elf_file *file, uint64_t max,
	struct elf_section *ret, uint64_t *hdr_ret)
{
	struct frames_header header;

	if (!read_frames_header(file, &header) ||
		!read_segment(file, header.frames, max, ret))
		return false;
	struct bytes b = bytes_of(header.functions.at,
		header.functions.n * ELF_FUNCTION_SIZE,
		header.functions.is_swapped);
	uint64_t last = 0;

	while (bytes_left(&b)) {
		bytes_u32(&b);
		last = MAX(last,
			header.functions.base +
				(uint64_t)(int32_t)bytes_u32(&b));
	}
	size_t at = 0;

	/*
	 * .eh_frame ends at an entry of length 0. Linkers also leave entries of
	 * length 0 between input sections, before the last FDE; these are
	 * skipped.
	 */
	while (ret->size - at >= 4) {
		uint32_t length;

		memcpy(&length, ret->at + at, sizeof(length));
		if (length > ret->size - at - 4 ||
			(!length && ret->address + at >= last))
			break;
		at += 4 + (size_t)length;
	}
	ret->size = at;
	*hdr_ret = header.functions.base;
	return ret->size > 0;
}

struct elf_functions elf_file_functions(struct elf_file *file)
{
	struct frames_header header;

	read_frames_header(file, &header);
	return header.functions;
}

/* Returns the linked address of function I. */
static uint64_t function_start(const struct elf_functions *functions, size_t i)
{
	struct bytes b = bytes_of(functions->at + i * ELF_FUNCTION_SIZE,
		ELF_FUNCTION_SIZE, functions->is_swapped);

	return functions->base + (uint64_t)(int32_t)bytes_u32(&b);
}

uint64_t elf_next_function(
	const struct elf_functions *functions, uint64_t address)
{
	size_t low = 0, high = functions->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (function_start(functions, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < functions->n ? function_start(functions, low) : UINT64_MAX;
}
