/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/debug_check.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/budget.h"
#include "common/util/bytes.h"
#include "common/util/log.h"
#include "report/lines/line_program.h"

/*
 * Limit of the expansion that is not charged: zlib and zstd compress the output
 * of compilers only to a third or a quarter.
 */
#define EXPANSION_FREE 20u
#define EXPANSION_MAX MIB(64)
#define DISK_BLOCK 512u /* unit of st_blocks in bytes */
/*
 * Limit of the notes about refused files; further files are refused without a
 * note.
 */
#define REFUSED_MAX 100u

static struct budget expansion = BUDGET(EXPANSION_MAX);
static struct {
	pthread_mutex_t lock;
	ARRAY(char *) refused; /* paths of files that a note has named */
} notes = { .lock = PTHREAD_MUTEX_INITIALIZER };

char *debug_budget_path(struct elf_file *file)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", elf_file_fd(file));
	n = readlink(link, path, sizeof(path) - 1);
	return n > 0 ? xstrndup(path, (size_t)n) : NULL;
}

/*
 * Returns the number of bytes that FILE occupies on the disk. On file systems
 * that do not count these bytes, returns the size of FILE.
 */
static uint64_t disk_size(struct elf_file *file)
{
	struct stat status;
	uint64_t size;

	if (fstat(elf_file_fd(file), &status) < 0)
		return 0;
	size = (uint64_t)status.st_size;
	return status.st_blocks > 0
		? MIN(size, (uint64_t)status.st_blocks * DISK_BLOCK)
		: size;
}

/*
 * Returns the path of FILE, owned by the caller, for a note; NULL if the path is
 * unknown or was returned before. Each file has one note, up to a limit of notes.
 */
static char *path_without_note(struct elf_file *file)
{
	_cleanup_free_ char *path = debug_budget_path(file);
	bool is_new = path;

	pthread_mutex_lock(&notes.lock);
	array_each(&notes.refused, known)
		is_new = is_new && !string_is(*known, path);
	is_new = is_new && notes.refused.n < REFUSED_MAX;
	if (is_new)
		*array_push(&notes.refused) = xstrdup(path);
	pthread_mutex_unlock(&notes.lock);
	return is_new ? take_pointer(path) : NULL;
}

bool debug_budget_charge(struct elf_file *file, uint64_t size)
{
	uint64_t free_size;

	if (__builtin_mul_overflow(disk_size(file), EXPANSION_FREE, &free_size))
		free_size = UINT64_MAX;
	if (size <= free_size || budget_reserve(&expansion, size - free_size))
		return true;

	_cleanup_free_ char *path = path_without_note(file);

	if (path)
		log_note(
			"%s: its lines and inlined functions are left out: its "
			"debug information expands from %" PRIu64 " to %" PRIu64
			" bytes, more than dwell's limit for "
			"memory; build the file again, or decompress it with "
			"objcopy --decompress-debug-sections",
			path, disk_size(file), size);
	return false;
}

void debug_check_note_unread(struct elf_file *file)
{
	_cleanup_free_ char *path = path_without_note(file);

	if (path)
		log_note(
			"%s: its lines and inlined functions are left out: its "
			"debug information is damaged, or libdw %s cannot "
			"decompress it; build the file again, or decompress it "
			"with objcopy --decompress-debug-sections",
			path, dwfl_version(NULL));
}

#define SECTIONS_MAX 100000u
/*
 * The largest compression ratio of zlib; zstd compresses the output of
 * compilers much less.
 */
#define PACKED_MAX 1100u
#define PACKED_SMALL KIB(64)
#define UNITS_MAX (UINT32_C(1) << 22)

/*
 * The sections whose contents are checked. Files with two sections of the same
 * name are refused, because it depends on libdw which of the two sections is
 * read.
 */
static const char *const checked_sections[] = {
	".debug_info",
	".debug_info.dwo",
	".debug_types.dwo",
	".debug_str",
	".debug_str.dwo",
	".debug_line_str",
	".debug_line",
	".debug_line.dwo",
};

struct debug_checking {
	struct elf_file *file;
	const char *info; /* name of the section that must exist: ".debug_info"
			     or ".debug_info.dwo" */
	Elf *elf;
	size_t names; /* index of the section of section names */
	uint64_t file_size, total;
	uint32_t seen; /* bit N is set if the section checked_sections[N] was
			  found */
	bool has_info;
};

static bool add_section_size(
	struct debug_checking *checking, uint64_t packed, uint64_t size)
{
	if (size > PACKED_SMALL && size / PACKED_MAX > packed)
		return false;
	return !__builtin_add_overflow(
		       checking->total, MAX(packed, size), &checking->total) &&
		checking->total <= DEBUG_SIZE_MAX;
}

/* Returns false if NAME is one of checked_sections and was found before. */
static bool is_first_section(struct debug_checking *checking, const char *name)
{
	uint32_t bit;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(checked_sections); i++)
		if (string_is(name, checked_sections[i] + 1))
			break;
	if (i == ARRAY_SIZE(checked_sections))
		return true;
	bit = UINT32_C(1) << i;
	if (checking->seen & bit)
		return false;
	checking->seen |= bit;
	return true;
}

/*
 * Decompresses a .zdebug section, as libdw would do. Refuses a section that
 * still looks compressed, because libdw would decompress the section again.
 * libelf has to read the whole section to find its uncompressed size.
 */
static bool check_gnu_section(struct debug_checking *checking, Elf_Scn *section,
	const GElf_Shdr *header)
{
	uint64_t size;

	if (header->sh_size > DEBUG_SIZE_MAX ||
		!debug_budget_charge(
			checking->file, checking->total + header->sh_size))
		return false;
	size = elf_zdebug_size(section);
	if (!size)
		return add_section_size(
			checking, header->sh_size, header->sh_size);
	return add_section_size(checking, header->sh_size, size) &&
		debug_budget_charge(checking->file, checking->total) &&
		elf_compress_gnu(section, 0, 0) >= 0 &&
		!elf_zdebug_size(section);
}

static bool check_section(struct debug_checking *checking, Elf_Scn *section)
{
	GElf_Shdr header;
	const char *name;
	uint64_t end;

	if (!gelf_getshdr(section, &header))
		return false;
	name = elf_strptr(checking->elf, checking->names, header.sh_name);
	if (!name)
		return true;
	if (header.sh_type != SHT_NOBITS &&
		(__builtin_add_overflow(
			 header.sh_offset, header.sh_size, &end) ||
			end > checking->file_size))
		return false;
	/* The name without the dot and the "z" of ".zdebug_...". */
	const char *plain = string_starts(name, ".zdebug_")
		? name + strlen(".z")
		: string_starts(name, ".debug_") ? name + 1
						 : NULL;
	bool is_gnu = plain && plain != name + 1;
	GElf_Chdr packed;

	if (!plain)
		return true;
	if (!is_first_section(checking, plain))
		return false;
	if (header.sh_type == SHT_NOBITS)
		return true;
	checking->has_info |= string_is(plain, checking->info + 1);
	if (header.sh_flags & SHF_COMPRESSED)
		return !is_gnu && gelf_getchdr(section, &packed) &&
			add_section_size(
				checking, header.sh_size, packed.ch_size);
	return is_gnu
		? check_gnu_section(checking, section, &header)
		: add_section_size(checking, header.sh_size, header.sh_size);
}

static bool check_sections(struct debug_checking *checking)
{
	Elf_Scn *section = NULL;
	size_t n;

	if (elf_getshdrnum(checking->elf, &n) < 0 || n > SECTIONS_MAX ||
		elf_getshdrstrndx(checking->elf, &checking->names) < 0)
		return false;
	checking->file_size = elf_file_size(checking->file);
	while ((section = elf_nextscn(checking->elf, section)))
		if (!check_section(checking, section))
			return false;
	return debug_budget_charge(checking->file, checking->total);
}

struct bytes debug_check_section(struct elf_file *file, const char *name)
{
	bool is_big = elf_file_kind(file).order == ELFDATA2MSB;
	struct elf_section section;

	if (!elf_file_section(file, name, DEBUG_SIZE_MAX, &section))
		return bytes_of(NULL, 0, false);
	return bytes_of(section.at, section.size,
		is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
}

/*
 * Whether the last string in section NAME is terminated, which libdw does not
 * check.
 */
static bool check_text_section(struct elf_file *file, const char *name)
{
	struct bytes b = debug_check_section(file, name);

	return !bytes_left(&b) || b.end[-1] == '\0';
}

/* Checks the headers of the units in section NAME. */
static bool check_unit_section(struct elf_file *file, const char *name)
{
	struct bytes b = debug_check_section(file, name);
	uint32_t n = 0;

	while (bytes_left(&b)) {
		uint64_t size = bytes_u32(&b);
		bool is_wide = size == UINT32_MAX;
		uint8_t type = 0, address_size;
		uint16_t version;
		struct bytes unit;

		if (is_wide)
			size = bytes_u64(&b);
		if (++n > UNITS_MAX || !b.ok || size > bytes_left(&b))
			return false;
		unit = bytes_of(bytes_take(&b, size), size, b.swap);
		version = bytes_u16(&unit);
		if (version >= 5)
			type = bytes_u8(&unit);
		else
			bytes_take(&unit, is_wide ? 8 : 4);
		address_size = bytes_u8(&unit);
		if (!unit.ok || version < 2 || version > 5 ||
			(version >= 5 && (type < 1 || type >= 0x80)) ||
			(address_size != 4 && address_size != 8))
			return false;
	}
	return true;
}

/*
 * Returns whether PATH does not exist, or is a regular file, which cannot
 * block.
 */
static bool cannot_block(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 || S_ISREG(status.st_mode);
}

/*
 * Returns NAME relative to the folder of FILE, owned by the caller; NULL:
 * unknown.
 */
static char *path_beside_file(struct elf_file *file, const char *name)
{
	_cleanup_free_ char *path = NULL;
	const char *end;

	if (*name == '/')
		return xstrdup(name);
	path = debug_budget_path(file);
	if (!path)
		return NULL;
	end = strrchr(path, '/');
	return xasprintf("%.*s/%s", (int)(end ? end - path : 0), path, name);
}

char *debug_check_package_path(struct elf_file *file)
{
	_cleanup_free_ char *path = debug_budget_path(file);

	return path ? xasprintf("%s.dwp", path) : NULL;
}

static char *existing_package_of(struct elf_file *file)
{
	_cleanup_free_ char *path =
		file ? debug_check_package_path(file) : NULL;
	struct stat status;

	return path && stat(path, &status) == 0 ? take_pointer(path) : NULL;
}

char *debug_check_package(struct elf_file *file, struct elf_file *debug)
{
	return existing_package_of(file) ?: existing_package_of(debug);
}

/* Checks the file that .gnu_debugaltlink names. */
static bool check_alt_link(struct elf_file *file)
{
	_cleanup_free_ char *path = NULL;
	struct elf_section section;
	const char *name;

	if (!elf_file_section(file, ".gnu_debugaltlink", KIB(64), &section))
		return true;
	name = (const char *)section.at;
	if (!memchr(name, '\0', section.size))
		return false;
	path = path_beside_file(file, name);
	return path && cannot_block(path);
}

static bool check_debug_file(struct elf_file *file, const char *info)
{
	struct debug_checking checking = {
		.file = file, .info = info, .elf = elf_file_handle(file)
	};

	/*
	 * The .dwo sections are checked in every file: if a file has both
	 * kinds, libdw prefers the sections of ordinary files.
	 */
	return check_sections(&checking) && checking.has_info &&
		check_unit_section(file, ".debug_info") &&
		check_unit_section(file, ".debug_info.dwo") &&
		check_unit_section(file, ".debug_types.dwo") &&
		check_text_section(file, ".debug_str") &&
		check_text_section(file, ".debug_str.dwo") &&
		check_text_section(file, ".debug_line_str") &&
		line_check(debug_check_section(file, ".debug_line")) &&
		line_check(debug_check_section(file, ".debug_line.dwo")) &&
		check_alt_link(file);
}

bool debug_check_file(struct elf_file *file)
{
	return check_debug_file(file, ".debug_info");
}

bool debug_check_split_at(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct elf_file *file;
	struct error *err;
	bool is_sound;

	if (fd < 0 || !cannot_block(path)) {
		base_close_fd(&fd);
		return cannot_block(path);
	}
	err = elf_file_open(fd, path, &file);
	error_free(err);
	if (err)
		return false;
	is_sound = check_debug_file(file, ".debug_info.dwo");
	elf_file_close(file);
	return is_sound;
}

static const char *skeleton_text_of(
	Dwarf_Die *die, unsigned name, unsigned old_name)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr(die, name, &attribute) &&
		!dwarf_attr(die, old_name, &attribute))
		return NULL;
	return dwarf_formstring(&attribute);
}

struct debug_splits debug_check_splits(
	struct elf_file *file, Dwarf_Die *skeleton)
{
	const char *name =
		skeleton_text_of(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *folder =
		skeleton_text_of(skeleton, DW_AT_comp_dir, DW_AT_comp_dir);
	_cleanup_free_ char *built = NULL;
	struct debug_splits splits = { 0 };

	if (!name)
		return splits;
	splits.beside = path_beside_file(file, name);
	if (folder && *name != '/')
		built = xasprintf("%s/%s", folder, name);
	if (built)
		splits.built = path_beside_file(file, built);
	return splits;
}

void debug_splits_deinit(struct debug_splits *splits)
{
	free(splits->beside);
	free(splits->built);
}

bool debug_check_split(struct elf_file *file, Dwarf_Die *skeleton)
{
	struct debug_splits splits = debug_check_splits(file, skeleton);
	bool is_sound = splits.beside && debug_check_split_at(splits.beside) &&
		(!splits.built || debug_check_split_at(splits.built));

	debug_splits_deinit(&splits);
	return is_sound;
}
