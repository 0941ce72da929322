/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/missing_files.h"

#include <dwarf.h>
#include <sys/stat.h>

#include "common/elf/cache.h"
#include "common/util/alloc.h"
#include "report/lines/debug_check.h"
#include "report/lines/debug_package.h"
#include "report/lines/debug_part.h"

static uint64_t file_state_of(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return 0;
	uint64_t numbers[] = { status.st_dev, status.st_ino,
		(uint64_t)status.st_size, (uint64_t)status.st_ctim.tv_sec,
		(uint64_t)status.st_ctim.tv_nsec };
	return cache_checksum(1, numbers, sizeof(numbers));
}

void missing_files_add(struct missing_files *missing, char *path)
{
	if (path)
		*array_push(&missing->files) =
			(struct missing_file){ path, file_state_of(path) };
}

void missing_files_deinit(struct missing_files *missing)
{
	array_each(&missing->files, file)
		free(file->path);
	array_free(&missing->files);
}

bool missing_files_are_unchanged(const struct missing_files *missing)
{
	array_each(&missing->files, file)
		if (file_state_of(file->path) != file->state)
			return false;
	return true;
}

void missing_files_write(
	const struct missing_files *missing, struct strbuf *out)
{
	strbuf_put_u64(out, missing->files.n);
	array_each(&missing->files, file) {
		strbuf_put_u64(out, file->state);
		strbuf_put(out, file->path, strlen(file->path) + 1);
	}
	strbuf_align(out, 8);
}

void missing_files_read(struct missing_files *missing, struct bytes *b)
{
	const uint8_t *start = b->at;
	uint64_t n = bytes_u64(b);

	while (n-- && b->ok) {
		uint64_t state = bytes_u64(b);
		const char *path = bytes_string(b);

		if (b->ok)
			*array_push(&missing->files) =
				(struct missing_file){ xstrdup(path), state };
	}
	bytes_take(b,
		ALIGN_UP((size_t)(b->at - start), 8) - (size_t)(b->at - start));
}

/* --- missing files of debug information -------------------------------- */

/*
 * Limit of the units that are checked: the .dwo files of a program usually all
 * exist, or are all missing.
 */
#define UNITS_MAX 64u

static char *find_missing_split(
	struct elf_file *file, Dwarf_CU *unit, struct debug_package *package)
{
	Dwarf_Die die = { 0 }, split = { 0 };
	Dwarf_Attribute name;
	uint8_t type = 0;

	if (dwarf_cu_info(unit, NULL, &type, &die, NULL, NULL, NULL, NULL) ||
		type != DW_UT_skeleton ||
		(!dwarf_attr(&die, DW_AT_dwo_name, &name) &&
			!dwarf_attr(&die, DW_AT_GNU_dwo_name, &name)))
		return NULL;
	if (debug_package_is_sound(package) && debug_check_split(file, &die) &&
		dwarf_cu_info(unit, NULL, NULL, NULL, &split, NULL, NULL,
			NULL) == 0 &&
		split.addr)
		return NULL;
	if (debug_package_find(package, file, &die, &split))
		return NULL;
	return xstrdup(dwarf_formstring(&name) ?: "?");
}

void missing_debug_files_find(struct elf_file *file, struct elf_file *debug,
	bool has_alt, struct missing_debug_files *ret)
{
	struct debug_package *package = debug_package_open(file, debug);
	struct elf_file *holder = debug ? debug : file;
	struct debug_part *part;
	Dwarf *dwarf = debug_part_begin(holder, &part);
	struct build_id id;
	const char *alt = elf_file_altlink(holder, &id);
	const char *unread = debug_package_unread(package);
	Dwarf_CU *unit = NULL;
	size_t i;

	*ret = (struct missing_debug_files){ 0 };
	if (alt && !has_alt)
		ret->name = xstrdup(alt);
	/*
	 * Find the first missing .dwo file of the units. If a file is missing
	 * already, only one unit is read, for .is_readable.
	 */
	for (i = 0; dwarf && i < UNITS_MAX; i++) {
		if (dwarf_get_units(
			    dwarf, unit, &unit, NULL, NULL, NULL, NULL) != 0)
			break;
		ret->is_readable = true;
		if (ret->name)
			break;
		ret->name = find_missing_split(holder, unit, package);
		if (ret->name && unread)
			ret->unread = xstrdup(unread);
	}
	dwarf_end(dwarf);
	debug_part_close(part);
	debug_package_close(package);
}

void missing_debug_files_deinit(struct missing_debug_files *missing)
{
	free(missing->name);
	free(missing->unread);
}
