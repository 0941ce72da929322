/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An image of an ELF file in memory, of which only parts are read. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/elf/elf.h"
#include "common/elf/elf_private.h"
#include "common/util/alloc.h"

/*
 * Adds [START, END) to the ranges that were read. Returns false if a part of it
 * was read before. The ranges are sorted; most are added in order.
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

bool elf_sparse_read(struct elf_file *sparse, uint64_t offset, uint64_t size)
{
	if (!size)
		return true;
	if (offset > sparse->image_size || size > sparse->image_size - offset ||
		!add_read_range(sparse, offset, offset + size))
		return false;
	while (size) {
		ssize_t n = pread(sparse->fd, sparse->image + offset,
			(size_t)size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		offset += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return true;
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
	struct stat status;
	void *at;

	if (fstat(sparse->fd, &status) < 0 || status.st_size <= 0)
		return false;
	at = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return false;
	sparse->image = at;
	sparse->image_size = (uint64_t)status.st_size;
	sparse->size = sparse->image_size;
	return true;
}

struct elf_file *elf_file_sparse(struct elf_file *file)
{
	struct elf_file *sparse = xcalloc(1, sizeof(*sparse));

	sparse->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	if (map_sparse_image(sparse) && read_headers(sparse, file->elf))
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
