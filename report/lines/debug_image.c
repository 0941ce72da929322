/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/debug_image.h"

#include <dwarf.h>
#include <elf.h>

#include "common/util/bytes.h"
#include "report/lines/debug_check.h"

#define NAMES ".shstrtab"

void debug_image_init(struct debug_image *image, uint64_t base)
{
	*image = (struct debug_image){ .base = MAX(base,
					       (uint64_t)sizeof(Elf64_Ehdr)) };
	strbuf_putc(&image->names, '\0');
	array_push(&image->sections);
}

void debug_image_deinit(struct debug_image *image)
{
	strbuf_free(&image->bytes);
	strbuf_free(&image->names);
	array_free(&image->sections);
}

void debug_image_add_placed(struct debug_image *image, const char *name,
	uint64_t offset, uint64_t size)
{
	*array_push(&image->sections) =
		(struct debug_image_section){ (uint32_t)image->names.n, offset,
			size };
	strbuf_put(&image->names, name, strlen(name) + 1);
}

void debug_image_add(struct debug_image *image, const char *name,
	const void *at, size_t size)
{
	strbuf_align(&image->bytes, 8);
	debug_image_add_placed(image, name, image->base + image->bytes.n, size);
	strbuf_put(&image->bytes, at, size);
}

static void put_section_headers(struct debug_image *image)
{
	size_t i;

	strbuf_align(&image->bytes, 8);
	for (i = 0; i < image->sections.n; i++) {
		const struct debug_image_section *at = &image->sections.at[i];
		Elf64_Shdr header = {
			.sh_name = at->name,
			.sh_type = !i			    ? SHT_NULL
				: i + 1 < image->sections.n ? SHT_PROGBITS
							    : SHT_STRTAB,
			.sh_offset = at->offset,
			.sh_size = at->size,
			.sh_addralign = 1,
		};

		strbuf_put(&image->bytes, &header, sizeof(header));
	}
}

static bool write_image_at(
	int fd, const void *data, size_t size, uint64_t offset)
{
	const char *at = data;

	while (size) {
		ssize_t n = pwrite(fd, at, size, (off_t)offset);

		if (n <= 0)
			return false;
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

bool debug_image_write(struct debug_image *image, int fd)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
								  : ELFDATA2MSB,
			EV_CURRENT },
		.e_type = ET_DYN,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	/*
	 * Adds .shstrtab, the section of section names, which also contains its
	 * own name.
	 */
	uint32_t own = (uint32_t)image->names.n;

	strbuf_put(&image->names, NAMES, sizeof(NAMES));
	*array_push(&image->sections) = (struct debug_image_section){ own,
		image->base + image->bytes.n, image->names.n };
	strbuf_put(&image->bytes, image->names.at, image->names.n);
	put_section_headers(image);
	header.e_shnum = (uint16_t)image->sections.n;
	header.e_shstrndx = (uint16_t)(image->sections.n - 1);
	header.e_shoff = image->base + image->bytes.n -
		image->sections.n * sizeof(Elf64_Shdr);
	return write_image_at(fd, &header, sizeof(header), 0) &&
		write_image_at(
			fd, image->bytes.at, image->bytes.n, image->base) &&
		ftruncate(fd, (off_t)(image->base + image->bytes.n)) == 0;
}

/* --- skeleton units: reading --------------------------------------------- */

/*
 * Stores section NAME of FILE from the base offset on in RET, which is empty if
 * there is no such section. The base offset is the value of DIE's first or, if
 * missing, second of ATTRIBUTES.
 */
static void find_base_section(struct elf_file *file, const char *name,
	Dwarf_Die *die, const unsigned attributes[2], struct elf_section *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word base = 0;

	*ret = (struct elf_section){ 0 };
	if ((dwarf_attr(die, attributes[0], &attribute) ||
		    dwarf_attr(die, attributes[1], &attribute)) &&
		dwarf_formudata(&attribute, &base))
		return;
	if (!elf_file_section(file, name, DEBUG_SIZE_MAX, ret) ||
		base > ret->size) {
		*ret = (struct elf_section){ 0 };
		return;
	}
	ret->at += base;
	ret->size -= base;
	ret->address = base;
}

static uint32_t section_u32_before(const uint8_t *at, size_t distance)
{
	struct bytes b = bytes_of(at - distance, sizeof(uint32_t), false);

	return bytes_u32(&b);
}

/*
 * Limits SECTION, which is .debug_addr, to the addresses of the skeleton's
 * unit, if the number of addresses is known.
 */
static void limit_addresses(
	const struct debug_skeleton *skeleton, struct elf_section *section)
{
	uint32_t size;

	if (skeleton->version < 5 || section->address < 8)
		return;
	/*
	 * The size field of the address table counts the bytes behind the
	 * field, of which 4 are before the base.
	 */
	size = section_u32_before(section->at, 8);
	if (size >= 4)
		section->size = MIN(section->size, (size_t)size - 4);
}

bool debug_skeleton_read(
	struct elf_file *file, Dwarf_Die *die, struct debug_skeleton *ret)
{
	static const unsigned addresses[] = { DW_AT_addr_base,
		DW_AT_GNU_addr_base };
	static const unsigned ranges[] = { DW_AT_GNU_ranges_base,
		DW_AT_GNU_ranges_base };
	Dwarf_Addr start = 0;
	uint8_t type = 0;

	*ret = (struct debug_skeleton){ 0 };
	if (dwarf_cu_info(die->cu, &ret->version, &type, NULL, NULL, &ret->id,
		    &ret->address_size, NULL) ||
		type != DW_UT_skeleton)
		return false;
	if (dwarf_lowpc(die, &start) == 0)
		ret->start = start;
	find_base_section(file, ".debug_addr", die, addresses, &ret->addresses);
	limit_addresses(ret, &ret->addresses);
	if (ret->version < 5)
		find_base_section(
			file, ".debug_ranges", die, ranges, &ret->ranges);
	return true;
}

/* --- skeleton units: writing --------------------------------------------- */

static void put_skeleton_unit(const struct debug_skeleton *skeleton,
	const char *split, struct strbuf *out)
{
	bool is_gnu = skeleton->version < 5;
	uint32_t size;

	strbuf_put_u32(out, 0); /* size of the unit */
	strbuf_put_u16(out, skeleton->version);
	if (!is_gnu) {
		strbuf_put_u8(out, DW_UT_skeleton);
		strbuf_put_u8(out, skeleton->address_size);
	}
	strbuf_put_u32(out, 0); /* offset of the abbreviations */
	if (is_gnu)
		strbuf_put_u8(out, skeleton->address_size);
	else
		strbuf_put_u64(out, skeleton->id);
	strbuf_put_u8(out, 1);
	if (skeleton->address_size == 8)
		strbuf_put_u64(out, skeleton->start);
	else
		strbuf_put_u32(out, (uint32_t)skeleton->start);
	strbuf_put(out, split, strlen(split) + 1);
	if (is_gnu) {
		strbuf_put_u64(out, skeleton->id);
		strbuf_put_u32(out, 0); /* base of the ranges */
	}
	strbuf_put_u32(out, 0); /* base of the addresses */
	size = (uint32_t)out->n - 4;
	memcpy(out->at, &size, sizeof(size));
}

bool debug_skeleton_write(
	const struct debug_skeleton *of, const char *split, int fd)
{
	_cleanup_strbuf_ struct strbuf unit = { 0 }, abbreviations = { 0 };
	struct debug_image image;
	bool ok;

	put_skeleton_unit(of, split, &unit);
	/*
	 * The abbreviation of a skeleton DIE, with the attributes in the order
	 * of put_skeleton_unit(). The two-byte numbers are the GNU attributes
	 * in LEB128.
	 */
	static const uint8_t gnu[] = { 1, DW_TAG_compile_unit, 0, DW_AT_low_pc,
		DW_FORM_addr, 0xb0, 0x42, DW_FORM_string, 0xb1, 0x42,
		DW_FORM_data8, 0xb2, 0x42, DW_FORM_sec_offset, 0xb3, 0x42,
		DW_FORM_sec_offset, 0, 0, 0 };
	static const uint8_t dwarf[] = { 1, DW_TAG_skeleton_unit, 0,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_dwo_name, DW_FORM_string,
		DW_AT_addr_base, DW_FORM_sec_offset, 0, 0, 0 };

	if (of->version < 5)
		strbuf_put(&abbreviations, gnu, sizeof(gnu));
	else
		strbuf_put(&abbreviations, dwarf, sizeof(dwarf));
	debug_image_init(&image, 0);
	debug_image_add(&image, ".debug_info", unit.at, unit.n);
	debug_image_add(
		&image, ".debug_abbrev", abbreviations.at, abbreviations.n);
	debug_image_add(
		&image, ".debug_addr", of->addresses.at, of->addresses.size);
	if (of->ranges.size)
		debug_image_add(&image, ".debug_ranges", of->ranges.at,
			of->ranges.size);
	ok = debug_image_write(&image, fd);
	debug_image_deinit(&image);
	return ok;
}
