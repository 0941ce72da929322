/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sparse files: an image of a file in memory, of which only parts are read.
 * Sections that are compressed with zstd are decompressed in the image, because
 * libelf can do that only since 0.189.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/util/alloc.h"
#include "common/util/bytes.h"

/* Alignment of decompressed sections in the image. */
#define PLACE_ALIGNMENT UINT64_C(16)

/*
 * Adds [START, END) to SPARSE->was_read, the sorted ranges that were read.
 * Returns false if a part of [START, END) was read before. Most ranges are
 * added in order.
 */
static bool add_read_range(
	struct elf_file *sparse, uint64_t start, uint64_t end)
{
	size_t i = array_count_before(
		&sparse->was_read, range, range->start < end);
	struct elf_range *at;

	if (i && sparse->was_read.at[i - 1].end > start)
		return false;
	if (i && sparse->was_read.at[i - 1].end == start) {
		sparse->was_read.at[i - 1].end = end;
		return true;
	}
	array_push(&sparse->was_read);
	at = sparse->was_read.at + i;
	memmove(at + 1, at, (sparse->was_read.n - 1 - i) * sizeof(*at));
	*at = (struct elf_range){ start, end };
	return true;
}

/* Reads SIZE bytes at OFFSET of the file into OUT. */
static bool read_file_range(
	struct elf_file *sparse, uint64_t offset, uint64_t size, uint8_t *out)
{
	while (size) {
		ssize_t n = pread(sparse->fd, out, (size_t)size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		out += n;
		offset += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return true;
}

/*
 * Decompresses the whole section PACKED to its place in the image, at the first
 * call.
 */
static bool unpack_section(struct elf_file *sparse, struct elf_packed *packed)
{
	_cleanup_free_ uint8_t *from = NULL;

	if (packed->is_unpacked)
		return true;
	from = xmalloc((size_t)packed->packed_size);
	packed->is_unpacked = read_file_range(sparse, packed->from,
				      packed->packed_size, from) &&
		ZSTD_decompress(sparse->image + packed->to,
			(size_t)packed->size, from,
			(size_t)packed->packed_size) == packed->size;
	return packed->is_unpacked;
}

bool elf_sparse_read(struct elf_file *sparse, uint64_t offset, uint64_t size)
{
	size_t i = array_count_before(
		&sparse->packed, packed, packed->to <= offset);
	struct elf_packed *at = i ? &sparse->packed.at[i - 1] : NULL;

	if (!size)
		return true;
	if (offset > sparse->image_size || size > sparse->image_size - offset ||
		!add_read_range(sparse, offset, offset + size))
		return false;
	if (at && offset - at->to < at->size)
		return unpack_section(sparse, at);
	return read_file_range(sparse, offset, size, sparse->image + offset);
}

/* Reads the headers that elf_memory() needs. */
static bool read_headers(struct elf_file *sparse, Elf *from)
{
	GElf_Ehdr header;
	size_t n;

	return gelf_getehdr(from, &header) && elf_getshdrnum(from, &n) == 0 &&
		header.e_shoff >= header.e_ehsize &&
		elf_sparse_read(sparse, 0, header.e_ehsize) &&
		elf_sparse_read(sparse, header.e_shoff,
			(uint64_t)n * header.e_shentsize);
}

static bool read_sparse_section_names(struct elf_file *sparse)
{
	GElf_Shdr header;
	Elf_Scn *section;

	if (elf_getshdrstrndx(sparse->elf, &sparse->section_names) < 0)
		return false;
	section = elf_getscn(sparse->elf, sparse->section_names);
	return section && gelf_getshdr(section, &header) &&
		header.sh_size <= SECTION_NAMES_MAX &&
		elf_sparse_read(sparse, header.sh_offset, header.sh_size);
}

static bool map_sparse_image(struct elf_file *sparse)
{
	void *at =
		mmap(NULL, (size_t)sparse->image_size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return false;
	sparse->image = at;
	sparse->size = sparse->image_size;
	return true;
}

/* --- sections that are compressed with zstd ------------------------------ */

/*
 * Reads the header of the compressed SECTION of FILE. Returns false if SECTION
 * is not compressed with zstd, or if its sizes cannot be right: linkers compress
 * a section only if it becomes smaller.
 */
static bool read_packed_section(
	struct elf_file *file, Elf_Scn *section, struct elf_packed *ret)
{
	uint8_t head[sizeof(Elf64_Chdr)];
	struct bytes b = bytes_of(
		head, sizeof(head), elf_is_swapped(elf_file_kind(file).order));
	GElf_Shdr header;

	if (!gelf_getshdr(section, &header) ||
		!(header.sh_flags & SHF_COMPRESSED) ||
		header.sh_type == SHT_NOBITS || header.sh_size < sizeof(head) ||
		!elf_copy_bytes(file, header.sh_offset, head, sizeof(head)) ||
		bytes_u32(&b) != COMPRESSED_ZSTD)
		return false;
	bytes_u32(&b); /* skip the padding */
	*ret = (struct elf_packed){ .section = elf_ndxscn(section),
		.from = header.sh_offset + sizeof(head),
		.packed_size = header.sh_size - sizeof(head),
		.size = bytes_u64(&b) };
	return ret->packed_size <= ret->size;
}

/*
 * Finds the sections of FILE that are compressed with zstd, gives each a place
 * in the image of SPARSE, behind the file, and sets the size of the image. 32-bit
 * files keep their sections. Returns false if the places exceed MAX bytes.
 */
static bool place_packed_sections(
	struct elf_file *sparse, struct elf_file *file, uint64_t max)
{
	uint64_t end = ALIGN_UP(file->size, PLACE_ALIGNMENT), total = 0;
	Elf_Scn *section = NULL;
	struct elf_packed packed;

	sparse->image_size = file->size;
	if (elf_file_kind(file).class != ELFCLASS64)
		return true;
	while ((section = elf_nextscn(file->elf, section))) {
		if (!read_packed_section(file, section, &packed))
			continue;
		if (packed.size > max || total > max - packed.size)
			return false;
		packed.to = end + total;
		total += ALIGN_UP(packed.size, PLACE_ALIGNMENT);
		sparse->image_size = end + total;
		*array_push(&sparse->packed) = packed;
	}
	return true;
}

/*
 * Writes the section header of PACKED, a section of FROM, into the image, as
 * that of a section that is not compressed.
 */
static bool put_unpacked_header(
	struct elf_file *sparse, Elf *from, const struct elf_packed *packed)
{
	Elf64_Ehdr *file_header = elf64_getehdr(from);
	Elf64_Shdr *packed_header =
		elf64_getshdr(elf_getscn(from, packed->section));
	Elf64_Shdr header;
	Elf_Data data = { .d_buf = &header,
		.d_type = ELF_T_SHDR,
		.d_version = EV_CURRENT,
		.d_size = sizeof(header) };
	Elf_Data image = data;

	if (!file_header || !packed_header ||
		file_header->e_shentsize != sizeof(header))
		return false;
	header = *packed_header;
	header.sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
	header.sh_offset = packed->to;
	header.sh_size = packed->size;
	image.d_buf = sparse->image + file_header->e_shoff +
		packed->section * sizeof(header);
	return elf64_xlatetof(&image, &data, file_header->e_ident[EI_DATA]);
}

static bool put_unpacked_headers(struct elf_file *sparse, Elf *from)
{
	array_each(&sparse->packed, packed)
		if (!put_unpacked_header(sparse, from, packed))
			return false;
	return true;
}

/* -------------------------------------------------------------------------- */

struct elf_file *elf_file_sparse(struct elf_file *file, uint64_t unpacked_max)
{
	struct elf_file *sparse = xcalloc(1, sizeof(*sparse));

	sparse->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	if (place_packed_sections(sparse, file, unpacked_max) &&
		map_sparse_image(sparse) && read_headers(sparse, file->elf) &&
		put_unpacked_headers(sparse, file->elf))
		sparse->elf = elf_memory(
			(char *)sparse->image, (size_t)sparse->image_size);
	if (sparse->elf && elf_kind(sparse->elf) == ELF_K_ELF &&
		read_sparse_section_names(sparse))
		return sparse;
	elf_file_close(sparse);
	return NULL;
}

void elf_sparse_hide(Elf_Scn *section)
{
	GElf_Shdr header;

	if (!gelf_getshdr(section, &header))
		return;
	header.sh_type = SHT_NOBITS;
	gelf_update_shdr(section, &header);
}
