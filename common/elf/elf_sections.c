/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <zstd.h>

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/elf/unxz.h"
#include "common/util/alloc.h"
#include "common/util/bytes.h"

#define DEBUGDATA_MAX UNXZ_SIZE_MAX

/*
 * The older GNU compression has sections .zdebug_* that start with this magic.
 */
#define GNU_MAGIC "ZLIB"
#define GNU_HEAD_SIZE 12u

/* The bits of an offset in a page of the smallest page size. */
#define PAGE_MASK UINT64_C(0xfff)

int elf_file_fd(const struct elf_file *file)
{
	return file->fd;
}

uint64_t elf_file_size(const struct elf_file *file)
{
	return file->size;
}

unsigned elf_file_machine(struct elf_file *file)
{
	GElf_Ehdr header;

	return gelf_getehdr(file->elf, &header) ? header.e_machine : EM_NONE;
}

/*
 * Returns SECTION, decompressed to SIZE bytes and owned by FILE. Returns NULL
 * if SECTION is damaged.
 */
static const struct elf_unpacked *unpack_zstd(
	struct elf_file *file, Elf_Scn *section, size_t size)
{
	struct elf_unpacked *unpacked;
	size_t index = elf_ndxscn(section), head;
	Elf_Data *data;

	array_each(&file->unpacked, one)
		if (one->section == index)
			return one;
	head = gelf_getclass(file->elf) == ELFCLASS32 ? sizeof(Elf32_Chdr)
						      : sizeof(Elf64_Chdr);
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || data->d_size < head)
		return NULL;
	unpacked = array_push(&file->unpacked);
	*unpacked = (struct elf_unpacked){ index, size, xmalloc(size) };
	if (ZSTD_decompress(unpacked->at, size, (char *)data->d_buf + head,
		    data->d_size - head) == size)
		return unpacked;
	free(unpacked->at);
	file->unpacked.n--;
	return NULL;
}

/* Returns false if SECTION is damaged or has more than MAX bytes. */
static bool read_compressed(struct elf_file *file, Elf_Scn *section,
	const GElf_Shdr *header, uint64_t max, struct elf_section *ret)
{
	const struct elf_unpacked *unpacked;
	GElf_Chdr packed;
	Elf_Data *data;

	if (!gelf_getchdr(section, &packed) || packed.ch_size > max)
		return false;
	/* libelf supports zstd since 0.189, if libelf was built with zstd. */
	if (packed.ch_type == COMPRESSED_ZSTD) {
		unpacked = unpack_zstd(file, section, (size_t)packed.ch_size);
		if (unpacked)
			*ret = (struct elf_section){ unpacked->at,
				unpacked->size, header->sh_addr };
		return unpacked;
	}
	data = elf_section_data(section, header);
	if (data && data->d_buf)
		*ret = (struct elf_section){ data->d_buf, data->d_size,
			header->sh_addr };
	return data && data->d_buf;
}

/* Finds section ".debug_x" under the name ".zdebug_x". */
static Elf_Scn *find_zdebug_section(
	struct elf_file *file, const char *name, GElf_Shdr *header)
{
	_cleanup_free_ char *old = NULL;

	if (!string_starts(name, ".debug_"))
		return NULL;
	old = xasprintf(".z%s", name + 1);
	return elf_find_section(file, old, header);
}

uint64_t elf_zdebug_size(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	struct bytes b;

	if (!data || !data->d_buf || data->d_size < GNU_HEAD_SIZE ||
		memcmp(data->d_buf, GNU_MAGIC, strlen(GNU_MAGIC)) != 0)
		return 0;
	b = bytes_of(data->d_buf, data->d_size,
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	bytes_take(&b, strlen(GNU_MAGIC));
	return bytes_u64(&b);
}

bool elf_file_section(struct elf_file *file, const char *name, uint64_t max,
	struct elf_section *ret)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_find_section(file, name, &header);
	uint64_t size;
	Elf_Data *data;

	memset(ret, 0, sizeof(*ret));
	if (!section) {
		/* Decompress a .zdebug section; libelf then knows its size. */
		section = find_zdebug_section(file, name, &header);
		size = section ? elf_zdebug_size(section) : 0;
		if (size && (size > max || elf_compress_gnu(section, 0, 0) < 0))
			return false;
		if (section && !gelf_getshdr(section, &header))
			return false;
	}
	if (!section || header.sh_size > max)
		return false;
	if (header.sh_flags & SHF_COMPRESSED)
		return read_compressed(file, section, &header, max, ret);
	data = elf_section_data(section, &header);
	if (!data || !data->d_buf)
		return false;
	ret->at = data->d_buf;
	ret->size = data->d_size;
	ret->address = header.sh_addr;
	return true;
}

bool elf_file_section_place(
	struct elf_file *file, const char *name, struct elf_place *ret)
{
	GElf_Shdr header;

	*ret = (struct elf_place){ 0 };
	if (!elf_find_section(file, name, &header) ||
		!elf_has_bytes(file, &header))
		return false;
	*ret = (struct elf_place){ header.sh_offset, header.sh_size };
	return true;
}

bool elf_file_has_section(struct elf_file *file, const char *name)
{
	GElf_Shdr header;

	return (elf_find_section(file, name, &header) ||
		       find_zdebug_section(file, name, &header)) &&
		header.sh_type != SHT_NOBITS && header.sh_size;
}

uint64_t elf_file_section_address(struct elf_file *file, const char *name)
{
	GElf_Shdr header;

	return elf_find_section(file, name, &header) ? header.sh_addr : 0;
}

bool elf_next_code(const struct elf_file *file, size_t *i, GElf_Phdr *ret)
{
	size_t n;

	if (elf_getphdrnum(file->elf, &n) < 0)
		return false;
	while (*i < MIN(n, (size_t)PROGRAM_HEADERS_MAX))
		if (gelf_getphdr(file->elf, (int)(*i)++, ret) &&
			ret->p_type == PT_LOAD && ret->p_flags & PF_X)
			return true;
	return false;
}

/* Extends [*START_RET, *END_RET) to include SIZE bytes from START. */
static void extend_code_range(
	uint64_t start, uint64_t size, uint64_t *start_ret, uint64_t *end_ret)
{
	uint64_t end;

	if (__builtin_add_overflow(start, size, &end))
		return;
	*start_ret = MIN(*start_ret, start);
	*end_ret = MAX(*end_ret, end);
}

bool elf_file_code(
	struct elf_file *file, uint64_t *start_ret, uint64_t *end_ret)
{
	GElf_Phdr header;
	size_t i = 0;

	*start_ret = UINT64_MAX;
	*end_ret = 0;
	while (elf_next_code(file, &i, &header))
		extend_code_range(
			header.p_vaddr, header.p_memsz, start_ret, end_ret);
	return *start_ret < *end_ret;
}

bool elf_file_code_sections(
	struct elf_file *file, uint64_t *start_ret, uint64_t *end_ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	*start_ret = UINT64_MAX;
	*end_ret = 0;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) &&
			header.sh_flags & SHF_EXECINSTR)
			extend_code_range(header.sh_addr, header.sh_size,
				start_ret, end_ret);
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

/*
 * Returns true if FILE is a debug file that lacks the code of the segment
 * HEADER: objcopy removes the content of segments without debug information.
 */
static bool is_code_removed(
	const struct elf_file *file, const GElf_Phdr *header)
{
	return file->has_code_offset && !header->p_filesz &&
		header->p_flags & PF_X;
}

uint64_t elf_load_offset(const struct elf_file *file, const GElf_Phdr *header)
{
	return is_code_removed(file, header)
		? header->p_vaddr - file->code_address + file->code_offset
		: header->p_offset;
}

uint64_t elf_load_size(const struct elf_file *file, const GElf_Phdr *header)
{
	return is_code_removed(file, header) ? header->p_memsz
					     : header->p_filesz;
}

uint64_t elf_file_address(struct elf_file *file, uint64_t offset)
{
	GElf_Phdr header;
	size_t i = 0;

	while (elf_next_code(file, &i, &header)) {
		/* Mappings start at a page boundary, segments anywhere. */
		uint64_t start = elf_load_offset(file, &header);
		uint64_t page = start & ~PAGE_MASK;

		if (offset >= page &&
			offset - page < elf_load_size(file, &header) +
					(start & PAGE_MASK))
			return header.p_vaddr - start + offset;
	}
	return offset;
}

struct elf_file *elf_file_debugdata(struct elf_file *file)
{
	struct elf_section section;
	int fd;

	if (file->has_looked_inside)
		return file->inner;
	file->has_looked_inside = true;
	if (!elf_file_section(file, ".gnu_debugdata", DEBUGDATA_MAX, &section))
		return NULL;
	fd = unxz_to_memory(section.at, section.size);
	if (fd < 0)
		return NULL;
	error_free(elf_file_open(fd, ".gnu_debugdata", &file->inner));
	return file->inner;
}

/* CRC-32, the checksum of .gnu_debuglink: the polynomial with reversed bits. */
#define CRC_POLYNOMIAL 0xedb88320u

/*
 * Returns the string at the start of SECTION, or NULL. Sets B to the bytes
 * behind the string.
 */
static const char *link_name(
	struct elf_file *file, const char *section, struct bytes *b)
{
	struct elf_section found;
	const char *name;

	if (!elf_file_section(file, section, LINK_SIZE_MAX, &found))
		return NULL;
	*b = bytes_of(found.at, found.size, false);
	name = bytes_string(b);
	return b->ok && *name ? name : NULL;
}

const char *elf_file_debuglink(struct elf_file *file, uint32_t *crc_ret)
{
	struct bytes b;
	const char *name = link_name(file, ".gnu_debuglink", &b);

	if (!name)
		return NULL;
	bytes_take(&b, ALIGN_UP(strlen(name) + 1, 4) - strlen(name) - 1);
	*crc_ret = bytes_u32(&b);
	return b.ok ? name : NULL;
}

const char *elf_file_altlink(struct elf_file *file, struct build_id *id_ret)
{
	struct bytes b;
	const char *name = link_name(file, ".gnu_debugaltlink", &b);
	size_t size = name ? bytes_left(&b) : 0;

	memset(id_ret, 0, sizeof(*id_ret));
	if (!size || size > BUILD_ID_MAX)
		return NULL;
	id_ret->size = (uint8_t)size;
	memcpy(id_ret->bytes, bytes_take(&b, size), size);
	return name;
}

bool elf_file_has_crc(struct elf_file *file, uint32_t wanted)
{
	uint32_t table[256], crc = UINT32_MAX, byte, bit;
	uint8_t part[KIB(16)];
	off_t at = 0;
	ssize_t n, i;

	for (byte = 0; byte < 256; byte++) {
		table[byte] = byte;
		for (bit = 0; bit < 8; bit++)
			table[byte] = table[byte] >> 1 ^
				(table[byte] & 1 ? CRC_POLYNOMIAL : 0);
	}
	while ((n = pread(file->fd, part, sizeof(part), at)) > 0) {
		for (i = 0; i < n; i++)
			crc = crc >> 8 ^ table[(crc ^ part[i]) & 0xff];
		at += n;
	}
	return n == 0 && ~crc == wanted;
}

/* --- linked sections ------------------------------------------------------ */

/*
 * Data with addresses of a file that is loaded anywhere (PIE, library): the
 * addresses are in its relocations, and can be zeros in their places.
 */

/* Limit of the relocations of a file in bytes. */
#define RELOCATIONS_MAX MIB(128)

/*
 * Returns the type of the relocations of MACHINE that add the load address to a
 * number (psABI of each processor), or 0 if the type is not known.
 */
static uint32_t relative_type(unsigned machine)
{
	switch (machine) {
	case EM_X86_64: return R_X86_64_RELATIVE;
	case EM_AARCH64: return R_AARCH64_RELATIVE;
	case EM_S390: return R_390_RELATIVE;
	case EM_PPC64: return R_PPC64_RELATIVE;
	case EM_RISCV: return R_RISCV_RELATIVE;
	default: return 0;
	}
}

bool elf_linked_section(struct elf_file *file, const char *name, uint64_t max,
	struct elf_section *ret, uint8_t **copy_ret)
{
	struct elf_kind kind = elf_file_kind(file);
	struct elf_section relocations;
	uint64_t entry;

	*copy_ret = NULL;
	if (!elf_file_section(file, name, max, ret))
		return false;
	/* 32-bit processors have the numbers in their places. */
	if (kind.class != ELFCLASS64 || !elf_file_is_relocated(file, &entry) ||
		!elf_file_section(
			file, ".rela.dyn", RELOCATIONS_MAX, &relocations))
		return true;
	/*
	 * The addresses of a PIE or library are in its relocations, and can be
	 * zeros in their places.
	 */
	*copy_ret = xmemdup(ret->at, ret->size);
	uint32_t type = relative_type(kind.machine);
	struct bytes b = bytes_of(
		relocations.at, relocations.size, elf_is_swapped(kind.order));

	while (type && bytes_left(&b) >= sizeof(Elf64_Rela)) {
		uint64_t place = bytes_u64(&b) - ret->address;
		uint64_t info = bytes_u64(&b), number;

		/* In the byte order of the file. */
		memcpy(&number, bytes_take(&b, sizeof(number)), sizeof(number));
		if (ELF64_R_TYPE(info) == type && ret->size >= 8 &&
			place <= ret->size - 8)
			memcpy(*copy_ret + place, &number, sizeof(number));
	}
	ret->at = *copy_ret;
	return true;
}
