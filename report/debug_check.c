/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/debug_check.h"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/bytes.h"
#include "report/line_check.h"

#define SECTIONS_MAX 100000u
/* zlib packs at most so well; zstd packs what compilers write much less so. */
#define PACKED_MAX 1100u
#define PACKED_SMALL KIB(64)
#define UNITS_MAX (UINT32_C(1) << 22)

struct checking {
	struct elf_file *file;
	const char *info; /* how its units are called */
	Elf *elf;
	size_t names; /* the section of section names */
	uint64_t file_size, total;
	bool has_info;
};

static bool add_size(struct checking *checking, uint64_t packed, uint64_t size)
{
	if (size > PACKED_SMALL && size / PACKED_MAX > packed)
		return false;
	return !__builtin_add_overflow(
		       checking->total, size, &checking->total) &&
		checking->total <= DEBUG_SIZE_MAX;
}

static bool check_section(struct checking *checking, Elf_Scn *section)
{
	GElf_Shdr header;
	GElf_Chdr packed;
	const char *name;
	uint64_t end;

	if (!gelf_getshdr(section, &header))
		return false;
	name = elf_strptr(checking->elf, checking->names, header.sh_name);
	if (!name || header.sh_type == SHT_NOBITS)
		return true;
	if (__builtin_add_overflow(header.sh_offset, header.sh_size, &end) ||
		end > checking->file_size)
		return false;
	/* Packed before SHF_COMPRESSED was: libdw alone would undo it. */
	if (string_starts(name, ".zdebug_"))
		return false;
	if (!string_starts(name, ".debug_"))
		return true;
	checking->has_info |= string_is(name, checking->info);
	if (!(header.sh_flags & SHF_COMPRESSED))
		return add_size(checking, header.sh_size, header.sh_size);
	return gelf_getchdr(section, &packed) &&
		add_size(checking, header.sh_size, packed.ch_size);
}

static bool check_sections(struct checking *checking)
{
	Elf_Scn *section = NULL;
	struct stat status;
	size_t n;

	if (fstat(elf_file_fd(checking->file), &status) < 0 ||
		elf_getshdrnum(checking->elf, &n) < 0 || n > SECTIONS_MAX ||
		elf_getshdrstrndx(checking->elf, &checking->names) < 0)
		return false;
	checking->file_size = (uint64_t)status.st_size;
	while ((section = elf_nextscn(checking->elf, section)))
		if (!check_section(checking, section))
			return false;
	return true;
}

/* A unit's header; what is behind it is the next one's. */
static bool check_unit(struct bytes *b)
{
	uint64_t size = bytes_u32(b);
	uint16_t version;
	bool is_wide = size == UINT32_MAX;
	uint8_t type = 0, address_size;
	struct bytes unit;

	if (is_wide)
		size = bytes_u64(b);
	if (!b->ok || size > bytes_left(b))
		return false;
	unit = bytes_of(bytes_take(b, size), size, b->swap);
	version = bytes_u16(&unit);
	if (version >= 5)
		type = bytes_u8(&unit);
	else
		bytes_take(&unit, is_wide ? 8 : 4);
	address_size = bytes_u8(&unit);
	return unit.ok && version >= 2 && version <= 5 &&
		(version < 5 || (type >= 1 && type < 0x80)) &&
		(address_size == 4 || address_size == 8);
}

/* Of a section; none if there is none. */
static struct bytes bytes_of_section(
	const struct checking *checking, const char *name)
{
	struct elf_section section;
	GElf_Ehdr header;

	if (!gelf_getehdr(checking->elf, &header) ||
		!elf_file_section(
			checking->file, name, DEBUG_SIZE_MAX, &section))
		return bytes_of(NULL, 0, false);
	return bytes_of(section.at, section.size,
		(header.e_ident[EI_DATA] == ELFDATA2MSB) !=
			(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
}

/* libdw takes on trust that the last text has an end, too. */
static bool check_texts(const struct checking *checking, const char *name)
{
	struct bytes b = bytes_of_section(checking, name);

	return !bytes_left(&b) || b.end[-1] == '\0';
}

static bool check_units(const struct checking *checking)
{
	struct bytes b = bytes_of_section(checking, checking->info);
	uint32_t n = 0;

	while (bytes_left(&b))
		if (++n > UNITS_MAX || !check_unit(&b))
			return false;
	return check_texts(checking, ".debug_str") &&
		check_texts(checking, ".debug_str.dwo") &&
		check_texts(checking, ".debug_line_str") &&
		line_check(bytes_of_section(checking, ".debug_line")) &&
		line_check(bytes_of_section(checking, ".debug_line.dwo"));
}

/* True if it isn't there, or is a file that a read of doesn't wait. */
static bool is_quick(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 || S_ISREG(status.st_mode);
}

/* NAME as seen from FILE's own folder, owned by the caller; NULL: nobody knows. */
static char *beside(struct elf_file *file, const char *name)
{
	char link[64], path[4096];
	const char *end;
	ssize_t n;

	if (*name == '/')
		return xstrdup(name);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", elf_file_fd(file));
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return NULL;
	path[n] = '\0';
	end = strrchr(path, '/');
	return xasprintf("%.*s/%s", (int)(end ? end - path : 0), path, name);
}

/* The file that .gnu_debugaltlink names. */
static bool check_alt(struct elf_file *file)
{
	_cleanup_free_ char *path = NULL;
	struct elf_section section;
	const char *name;

	if (!elf_file_section(file, ".gnu_debugaltlink", KIB(64), &section))
		return true;
	name = (const char *)section.at;
	if (!memchr(name, '\0', section.size))
		return false;
	path = beside(file, name);
	return path && is_quick(path);
}

static bool check(struct elf_file *file, const char *info)
{
	struct checking checking = { .file = file,
		.info = info,
		.elf = elf_file_handle(file) };

	return check_sections(&checking) && checking.has_info &&
		check_units(&checking) && check_alt(file);
}

bool debug_check_file(struct elf_file *file)
{
	return check(file, ".debug_info");
}

static bool check_split_at(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct elf_file *file;
	struct error *err;
	bool is_sound;

	if (fd < 0 || !is_quick(path)) {
		base_close_fd(&fd);
		return is_quick(path);
	}
	err = elf_file_open(fd, path, &file);
	error_free(err);
	if (err)
		return true;
	is_sound = check(file, ".debug_info.dwo");
	elf_file_close(file);
	return is_sound;
}

static const char *text_of(Dwarf_Die *die, unsigned name, unsigned old_name)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr(die, name, &attribute) &&
		!dwarf_attr(die, old_name, &attribute))
		return NULL;
	return dwarf_formstring(&attribute);
}

bool debug_check_split(struct elf_file *file, Dwarf_Die *skeleton)
{
	const char *name = text_of(
		skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *folder =
		text_of(skeleton, DW_AT_comp_dir, DW_AT_comp_dir);
	_cleanup_free_ char *near = NULL, *built = NULL, *first = NULL;

	if (!name)
		return true;
	first = beside(file, name);
	if (folder && *name != '/')
		built = xasprintf("%s/%s", folder, name);
	near = built ? beside(file, built) : NULL;
	return first && check_split_at(first) &&
		(!near || check_split_at(near));
}
