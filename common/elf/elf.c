/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/elf/elf_private.h"
#include "common/util/alloc.h"

#define NOTES_MAX KIB(64)
#define VDSO_SIZE_MAX KIB(256)

/*
 * Returns false if the number of sections exceeds SECTIONS_MAX. libelf
 * allocates memory for as many sections as the header claims.
 */
static bool sections_fit(struct elf_file *file)
{
	uint8_t start[sizeof(Elf64_Ehdr)] = { 0 }, size[8] = { 0 };
	struct bytes b;
	bool is_64, swap;
	uint64_t offset;

	elf_copy_bytes(file, 0, start, sizeof(Elf32_Ehdr));
	elf_copy_bytes(file, 0, start, sizeof(start));
	swap = elf_is_swapped(start[EI_DATA]);
	is_64 = start[EI_CLASS] == ELFCLASS64;
	b = bytes_of(start, sizeof(start), swap);
	bytes_take(&b,
		is_64 ? offsetof(Elf64_Ehdr, e_shoff)
		      : offsetof(Elf32_Ehdr, e_shoff));
	offset = is_64 ? bytes_u64(&b) : bytes_u32(&b);
	b = bytes_of(start, sizeof(start), swap);
	bytes_take(&b,
		is_64 ? offsetof(Elf64_Ehdr, e_shnum)
		      : offsetof(Elf32_Ehdr, e_shnum));
	if (bytes_u16(&b) || !offset)
		return true;
	/*
	 * If e_shnum is 0, the number of sections is sh_size of the first
	 * section header.
	 */
	offset += is_64 ? offsetof(Elf64_Shdr, sh_size)
			: offsetof(Elf32_Shdr, sh_size);
	elf_copy_bytes(file, offset, size, is_64 ? 8 : 4);
	b = bytes_of(size, sizeof(size), swap);
	return (is_64 ? bytes_u64(&b) : bytes_u32(&b)) <= SECTIONS_MAX;
}

struct error *elf_file_open(int fd, const char *name, struct elf_file **ret)
{
	_cleanup_close_ int owned = fd;
	struct elf_names names = { 0 };
	struct elf_file *file;
	struct stat status;
	size_t number;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
		(uint64_t)status.st_size > ELF_SIZE_MAX)
		return error_new(
			"%s: not a regular file of at most 64 GiB", name);
	elf_version(EV_CURRENT);
	file = xcalloc(1, sizeof(*file));
	file->fd = take_fd(owned);
	file->size = (uint64_t)status.st_size;
	/*
	 * FILE is not mapped, because truncating a mapped file causes SIGBUS.
	 */
	if (sections_fit(file))
		file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF) {
		elf_file_close(file);
		return error_new("%s: not an ELF file", name);
	}
	/*
	 * .section_names is 0 if the names do not end with a NUL byte, because
	 * libelf would search for the NUL byte at each request. libelf reads
	 * all names, so their size is limited.
	 */
	if (elf_getshdrstrndx(file->elf, &number) >= 0) {
		names = elf_open_names(file, number);
		file->section_names = names.size ? number : 0;
	}
	if (names.size > SECTION_NAMES_MAX) {
		elf_file_close(file);
		return error_errno(
			EFBIG, "%s: the section names exceed 4 MiB", name);
	}
	*ret = file;
	return NULL;
}

struct elf_file *elf_file_open_vdso(void)
{
	const Elf64_Ehdr *header =
		(const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	_cleanup_close_ int fd = -1;
	struct elf_file *file;
	struct error *err;
	size_t size;

	if (!header || header->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	/* In the vdso that Linux builds, section headers are at the end. */
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0 || size > VDSO_SIZE_MAX ||
		write(fd, header, size) != (ssize_t)size)
		return NULL;
	err = elf_file_open(take_fd(fd), "[vdso]", &file);
	if (!err)
		return file;
	error_free(err);
	return NULL;
}

Elf *elf_file_handle(struct elf_file *file)
{
	return file->elf;
}

void elf_file_close(struct elf_file *file)
{
	size_t i;

	if (!file)
		return;
	elf_file_close(file->inner);
	array_each(&file->unpacked, one)
		free(one->at);
	array_free(&file->unpacked);
	elf_end(file->elf);
	if (file->image)
		munmap(file->image, file->image_size);
	array_free(&file->was_read);
	array_free(&file->packed);
	for (i = 0; i < ELF_PIECES; i++)
		free(file->pieces[i].at);
	strbuf_free(&file->name);
	close(file->fd);
	free(file);
}

Elf_Scn *elf_find_section(
	struct elf_file *file, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section))) {
		const char *found;

		if (!gelf_getshdr(section, header))
			continue;
		found = elf_strptr(
			file->elf, file->section_names, header->sh_name);
		if (found && string_is(found, name))
			return section;
	}
	return NULL;
}

Elf_Data *elf_section_data(Elf_Scn *section, const GElf_Shdr *header)
{
	if (header->sh_type == SHT_NOBITS)
		return NULL;
	if (header->sh_flags & SHF_COMPRESSED &&
		elf_compress(section, 0, 0) < 0)
		return NULL;
	return elf_getdata(section, NULL);
}

bool elf_notes_build_id(const uint8_t *notes, size_t size, struct build_id *ret)
{
	struct bytes b = bytes_of(notes, size, false);

	memset(ret, 0, sizeof(*ret));
	while (b.ok && bytes_left(&b) >= 12) {
		uint32_t name_size = bytes_u32(&b), size_of = bytes_u32(&b);
		uint32_t type = bytes_u32(&b);
		const char *name =
			bytes_take(&b, ALIGN_UP((size_t)name_size, 4));
		const uint8_t *value = bytes_take(&b, size_of);

		/* The padding of the last note can be missing. */
		bytes_take(&b, MIN(-size_of & 3u, bytes_left(&b)));
		if (!b.ok || type != NT_GNU_BUILD_ID || name_size != 4 ||
			memcmp(name, "GNU", 4) || !size_of)
			continue;
		ret->size = (uint8_t)MIN(size_of, BUILD_ID_MAX);
		memcpy(ret->bytes, value, ret->size);
		return true;
	}
	return false;
}

bool elf_file_build_id(struct elf_file *file, struct build_id *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) ||
			header.sh_type != SHT_NOTE ||
			header.sh_size > NOTES_MAX)
			continue;
		data = elf_section_data(section, &header);
		if (data && data->d_buf &&
			elf_notes_build_id(data->d_buf, data->d_size, ret))
			return true;
	}
	return elf_read_build_id(file->fd, ret);
}

bool elf_file_is_relocated(struct elf_file *file, uint64_t *entry_ret)
{
	GElf_Ehdr header;

	*entry_ret = 0;
	if (!gelf_getehdr(file->elf, &header))
		return false;
	*entry_ret = header.e_entry;
	return header.e_type == ET_DYN;
}

static bool read_notes(
	int fd, uint64_t offset, uint64_t size, struct build_id *ret)
{
	_cleanup_free_ uint8_t *notes = NULL;
	ssize_t n;

	if (size > NOTES_MAX)
		return false;
	notes = xmalloc(size);
	n = pread(fd, notes, size, (off_t)offset);
	return n > 0 && elf_notes_build_id(notes, (size_t)n, ret);
}

bool elf_read_build_id(int fd, struct build_id *ret)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr header64;
		Elf32_Ehdr header32;
	} start;
	bool is_64;
	size_t n, i;

	memset(ret, 0, sizeof(*ret));
	memset(&start, 0, sizeof(start));
	if (pread(fd, &start, sizeof(start), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
		memcmp(start.ident, ELFMAG, SELFMAG))
		return false;
	is_64 = start.ident[EI_CLASS] == ELFCLASS64;
	n = is_64 ? start.header64.e_phnum : start.header32.e_phnum;
	for (i = 0; i < MIN(n, (size_t)PROGRAM_HEADERS_MAX); i++) {
		uint64_t offset, size;
		uint32_t type;

		if (is_64) {
			Elf64_Phdr p;

			if (pread(fd, &p, sizeof(p),
				    (off_t)(start.header64.e_phoff +
					    i * sizeof(p))) != sizeof(p))
				return false;
			type = p.p_type;
			offset = p.p_offset;
			size = p.p_filesz;
		} else {
			Elf32_Phdr p;

			if (pread(fd, &p, sizeof(p),
				    (off_t)(start.header32.e_phoff +
					    i * sizeof(p))) != sizeof(p))
				return false;
			type = p.p_type;
			offset = p.p_offset;
			size = p.p_filesz;
		}
		if (type == PT_NOTE && read_notes(fd, offset, size, ret))
			return true;
	}
	return false;
}
