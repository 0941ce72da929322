/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/debug_package.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/elf/elf.h"
#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/bytes.h"
#include "common/util/strbuf.h"
#include "report/lines/debug_check.h"
#include "report/lines/debug_part.h"

/*
 * Builds an ELF file for libdw from sections of other files. The file has this
 * machine's byte order, and sections but no segments. Also reads the skeleton
 * unit of a program, which names the .dwo file with most of the unit's debug
 * information, and writes the skeleton unit with another .dwo path to a new
 * file, so that libdw joins the new file and that .dwo file.
 */

struct debug_image {
	uint64_t base; /* offset of .bytes in the file, behind the ELF header */
	struct strbuf bytes, names;
	ARRAY(struct debug_image_section {
		uint32_t name;
		uint64_t offset, size; /* position in the ELF file */
	})
	sections;
};

/* --- skeleton units ------------------------------------------------------ */

struct debug_skeleton {
	uint16_t version;
	uint8_t address_size;
	uint64_t id, start;
	/*
	 * The parts of .debug_addr and (DWARF 4) .debug_ranges to which the
	 * .dwo file refers; borrowed from the program.
	 */
	struct elf_section addresses, ranges;
};

#define NAMES ".shstrtab"

/*
 * Initializes an empty image. BASE is the value of .base; the caller writes the
 * bytes between the ELF header and BASE.
 */
static void debug_image_init(struct debug_image *image, uint64_t base)
{
	*image = (struct debug_image){ .base = MAX(base,
					       (uint64_t)sizeof(Elf64_Ehdr)) };
	strbuf_putc(&image->names, '\0');
	array_push(&image->sections);
}

static void debug_image_deinit(struct debug_image *image)
{
	strbuf_free(&image->bytes);
	strbuf_free(&image->names);
	array_free(&image->sections);
}

/*
 * Adds the SIZE bytes at OFFSET of the ELF file as section NAME. OFFSET is
 * below .base; the caller writes the bytes.
 */
static void debug_image_add_placed(struct debug_image *image, const char *name,
	uint64_t offset, uint64_t size)
{
	*array_push(&image->sections) =
		(struct debug_image_section){ (uint32_t)image->names.n, offset,
			size };
	strbuf_put(&image->names, name, strlen(name) + 1);
}

/* Adds SIZE bytes at AT, which are copied, as section NAME. */
static void debug_image_add(struct debug_image *image, const char *name,
	const void *at, size_t size)
{
	strbuf_align(&image->bytes, 8);
	debug_image_add_placed(image, name, image->base + image->bytes.n, size);
	strbuf_put(&image->bytes, at, size);
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

/*
 * Writes the ELF file to FD, except the contents of sections that were added by
 * debug_image_add_placed(). No section may be added afterwards. Returns false
 * on an error.
 */
static bool debug_image_write(struct debug_image *image, int fd)
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
	 * Add .shstrtab, the section of section names, which also contains its
	 * own name.
	 */
	uint32_t own = (uint32_t)image->names.n;

	strbuf_put(&image->names, NAMES, sizeof(NAMES));
	*array_push(&image->sections) = (struct debug_image_section){ own,
		image->base + image->bytes.n, image->names.n };
	strbuf_put(&image->bytes, image->names.at, image->names.n);
	size_t i;

	strbuf_align(&image->bytes, 8);
	for (i = 0; i < image->sections.n; i++) {
		const struct debug_image_section *at = &image->sections.at[i];
		Elf64_Shdr section = {
			.sh_name = at->name,
			.sh_type = !i			    ? SHT_NULL
				: i + 1 < image->sections.n ? SHT_PROGBITS
							    : SHT_STRTAB,
			.sh_offset = at->offset,
			.sh_size = at->size,
			.sh_addralign = 1,
		};

		strbuf_put(&image->bytes, &section, sizeof(section));
	}
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

/*
 * Reads the skeleton DIE, which is of a unit of FILE. Returns false if DIE is
 * no skeleton.
 */
static bool debug_skeleton_read(
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
	/*
	 * Limit ADDRESSES, which is .debug_addr, to the addresses of the
	 * skeleton's unit, if the number of addresses is known.
	 */
	struct elf_section *section = &ret->addresses;

	if (ret->version >= 5 && section->address >= 8) {
		/*
		 * The size field of the address table counts the bytes behind the
		 * field, of which 4 are before the base.
		 */
		struct bytes b =
			bytes_of(section->at - 8, sizeof(uint32_t), false);
		uint32_t size = bytes_u32(&b);

		if (size >= 4)
			section->size = MIN(section->size, (size_t)size - 4);
	}
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

/*
 * Writes an ELF file with the skeleton unit OF to FD. SPLIT is the path of the
 * .dwo file that the unit names. Returns false on an error.
 */
static bool debug_skeleton_write(
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

/* --- the index of the units -------------------------------------------- */

struct debug_index {
	uint32_t version, n_columns, n_units, n_slots;
	/* The tables of the section .debug_cu_index; borrowed from the file. */
	const uint8_t *ids, *rows; /* unit ID, and row number from 1, of each
				      hash slot; row 0: empty slot */
	const uint8_t *columns;	   /* section number of each column */
	const uint8_t *offsets, *sizes; /* of each unit's part of each section;
					   by row, then by column */
};

/* Number of the sections that contain the lines and functions of units. */
#define DEBUG_INDEX_SECTIONS 5u

#define COLUMNS_MAX 32u
#define UNITS_MAX (UINT32_C(1) << 22)
#define VERSION_GNU 2u
#define VERSION_DWARF 5u

static const char *const debug_index_sections[DEBUG_INDEX_SECTIONS] = {
	".debug_info.dwo",
	".debug_abbrev.dwo",
	".debug_line.dwo",
	".debug_str_offsets.dwo",
	".debug_rnglists.dwo",
};

/*
 * The numbers of debug_index_sections in the GNU index and in that of DWARF 5;
 * 0: the index has no such section.
 */
static const uint32_t gnu_numbers[DEBUG_INDEX_SECTIONS] = { 1, 3, 4, 6, 0 };
static const uint32_t dwarf_numbers[DEBUG_INDEX_SECTIONS] = { 1, 3, 4, 6, 8 };

static uint32_t index_u32_at(const uint8_t *table, uint64_t i)
{
	struct bytes b = bytes_of(table + i * 4, 4, false);

	return bytes_u32(&b);
}

/*
 * Reads the index of the .dwp file FILE. Returns false if FILE has no valid
 * index, or another byte order than this machine.
 */
static bool debug_index_read(struct elf_file *file, struct debug_index *ret)
{
	struct elf_section section;
	struct bytes b;
	uint64_t n;

	if (!(elf_file_kind(file).order ==
		    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
				    ? ELFDATA2LSB
				    : ELFDATA2MSB)) ||
		!elf_file_section(
			file, ".debug_cu_index", DEBUG_SIZE_MAX, &section))
		return false;
	b = bytes_of(section.at, section.size, false);
	/* In DWARF 5 the version has 16 bits, followed by 16 zero bits. */
	ret->version = bytes_u32(&b) & UINT16_MAX;
	ret->n_columns = bytes_u32(&b);
	ret->n_units = bytes_u32(&b);
	ret->n_slots = bytes_u32(&b);
	if (ret->n_columns > COLUMNS_MAX || ret->n_units > UNITS_MAX ||
		!ret->n_slots || ret->n_slots & (ret->n_slots - 1))
		return false;
	n = (uint64_t)ret->n_units * ret->n_columns;
	ret->ids = bytes_take(&b, (uint64_t)ret->n_slots * 8);
	ret->rows = bytes_take(&b, (uint64_t)ret->n_slots * 4);
	ret->columns = bytes_take(&b, (uint64_t)ret->n_columns * 4);
	ret->offsets = bytes_take(&b, n * 4);
	ret->sizes = bytes_take(&b, n * 4);
	return b.ok &&
		(ret->version == VERSION_GNU || ret->version == VERSION_DWARF);
}

/*
 * Stores the row, counted from 0, of the unit with ID in RET. Returns false if
 * the index has no unit with ID.
 */
static bool debug_index_find(
	const struct debug_index *index, uint64_t id, uint32_t *ret)
{
	uint32_t mask = index->n_slots - 1, tries;
	uint32_t slot = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

	for (tries = 0; tries < index->n_slots; tries++) {
		uint32_t row = index_u32_at(index->rows, slot);

		if (!row || row > index->n_units)
			return false;
		*ret = row - 1;
		struct bytes b =
			bytes_of(index->ids + (uint64_t)slot * 8, 8, false);
		if (bytes_u64(&b) == id)
			return true;
		slot = (slot + step) & mask;
	}
	return false;
}

/*
 * Stores the part of SECTION, an index in debug_index_sections, that belongs to
 * UNIT in RET. RET->size is 0 if there is no such part. Returns false if the
 * part is not inside the section of FILE.
 */
static bool debug_index_part(const struct debug_index *index,
	struct elf_file *file, uint32_t unit, unsigned section,
	struct elf_section *ret)
{
	uint32_t number = index->version == VERSION_GNU
		? gnu_numbers[section]
		: dwarf_numbers[section];
	uint32_t column = number ? 0 : index->n_columns;

	while (column < index->n_columns &&
		index_u32_at(index->columns, column) != number)
		column++;
	uint32_t offset, size;
	uint64_t at = (uint64_t)unit * index->n_columns + column;

	*ret = (struct elf_section){ 0 };
	if (column == index->n_columns)
		return true;
	offset = index_u32_at(index->offsets, at);
	size = index_u32_at(index->sizes, at);
	if (!size)
		return true;
	if (!elf_file_section(
		    file, debug_index_sections[section], DEBUG_SIZE_MAX, ret) ||
		(uint64_t)offset + size > ret->size)
		return false;
	ret->at += offset;
	ret->size = size;
	return true;
}

/* -------------------------------------------------------------------------- */

#define STRINGS ".debug_str.dwo"

struct debug_package {
	char *path;
	bool is_sound;
	struct elf_file *file;	    /* the .dwp file; NULL: it cannot be read */
	struct debug_index index;   /* index of .file */
	struct elf_section strings; /* section of strings; .address is its
				       offset in .split */
	int split; /* file in memory with the strings and one unit; -1: none yet
		    */
	struct elf_file
		*main; /* file in memory that refers to .split; NULL: none */
	Dwarf *dwarf;  /* handle of .main */
};

/* --- units as .dwo files ------------------------------------------------- */

/*
 * Creates .split, a file in memory, with the section of strings, which all
 * units share and which is copied only once.
 */
static bool create_split_file(struct debug_package *package)
{
	struct debug_image strings;
	bool ok;

	if (package->split >= 0)
		return true;
	package->split = memfd_create("dwo", MFD_CLOEXEC);
	if (package->split < 0)
		return false;
	debug_image_init(&strings, 0);
	if (!elf_file_section(
		    package->file, STRINGS, DEBUG_SIZE_MAX, &package->strings))
		package->strings.size = 0;
	debug_image_add(
		&strings, STRINGS, package->strings.at, package->strings.size);
	package->strings.address = strings.sections.at[1].offset;
	ok = debug_image_write(&strings, package->split);
	debug_image_deinit(&strings);
	return ok;
}

static bool write_split_unit(struct debug_package *package, uint32_t unit)
{
	struct debug_image image;
	struct elf_section part;
	bool ok = true;
	unsigned i;

	if (!create_split_file(package))
		return false;
	debug_image_init(&image,
		ALIGN_UP(package->strings.address + package->strings.size, 8));
	debug_image_add_placed(&image, STRINGS, package->strings.address,
		package->strings.size);
	for (i = 0; ok && i < DEBUG_INDEX_SECTIONS; i++) {
		ok = debug_index_part(
			&package->index, package->file, unit, i, &part);
		if (ok && part.size)
			debug_image_add(&image, debug_index_sections[i],
				part.at, part.size);
	}
	ok = ok && debug_image_write(&image, package->split);
	debug_image_deinit(&image);
	return ok;
}

/* --- the file that refers to the .dwo file ------------------------------- */

static void close_main_file(struct debug_package *package)
{
	dwarf_end(package->dwarf);
	elf_file_close(package->main);
	package->dwarf = NULL;
	package->main = NULL;
}

static bool open_main_file(
	struct debug_package *package, const struct debug_skeleton *skeleton)
{
	_cleanup_close_ int fd = memfd_create("dwarf", MFD_CLOEXEC);
	char split[64];

	snprintf(split, sizeof(split), "/proc/self/fd/%d", package->split);
	if (fd < 0 || !debug_skeleton_write(skeleton, split, fd))
		return false;
	error_free(elf_file_open(take_fd(fd), "", &package->main));
	if (package->main)
		package->dwarf = debug_whole_begin(package->main);
	return package->dwarf;
}

/* -------------------------------------------------------------------------- */

struct debug_package *debug_package_open(
	struct elf_file *file, struct elf_file *debug)
{
	char *path = debug_check_package(file, debug);
	struct debug_package *package;
	struct stat status;

	if (!path)
		return NULL;
	package = xcalloc(1, sizeof(*package));
	package->path = path;
	package->split = -1;
	package->is_sound = debug_check_split_at(path);
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		error_free(elf_file_open(take_fd(fd), path, &package->file));
	if (package->file && debug_index_read(package->file, &package->index))
		return package;
	elf_file_close(package->file);
	package->file = NULL;
	return package;
}

void debug_package_close(struct debug_package *package)
{
	if (!package)
		return;
	close_main_file(package);
	elf_file_close(package->file);
	if (package->split >= 0)
		close(package->split);
	free(package->path);
	free(package);
}

bool debug_package_is_sound(const struct debug_package *package)
{
	return !package || package->is_sound;
}

const char *debug_package_unread(const struct debug_package *package)
{
	return package && !package->file ? package->path : NULL;
}

bool debug_package_find(struct debug_package *package, struct elf_file *file,
	Dwarf_Die *die, Dwarf_Die *ret)
{
	struct debug_skeleton skeleton;
	Dwarf_CU *unit = NULL;
	Dwarf_Die own;
	uint32_t number;

	if (!package || !package->file ||
		!debug_skeleton_read(file, die, &skeleton) ||
		!debug_index_find(&package->index, skeleton.id, &number))
		return false;
	close_main_file(package);
	*ret = (Dwarf_Die){ 0 };
	return write_split_unit(package, number) &&
		open_main_file(package, &skeleton) &&
		dwarf_get_units(package->dwarf, NULL, &unit, NULL, NULL, &own,
			NULL) == 0 &&
		debug_check_split(package->main, &own) &&
		dwarf_cu_info(
			own.cu, NULL, NULL, NULL, ret, NULL, NULL, NULL) == 0 &&
		ret->addr;
}
