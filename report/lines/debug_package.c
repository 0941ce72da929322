/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/debug_package.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "report/lines/debug_check.h"
#include "report/lines/debug_image.h"
#include "report/lines/debug_index.h"
#include "report/lines/debug_part.h"
#include "report/lines/debug_skeleton.h"

#define STRINGS ".debug_str.dwo"

struct debug_package {
	char *path;
	bool is_sound;
	struct elf_file *file;	    /* NULL: it cannot be read */
	struct debug_index index;   /* index of .file */
	struct elf_section strings; /* .address: their offset in .split */
	int split; /* file in memory with the strings and one unit; -1: none yet
		    */
	struct elf_file
		*main; /* file in memory that refers to .split; NULL: none */
	Dwarf *dwarf;  /* handle of .main */
};

/* --- units as .dwo files ------------------------------------------------- */

/*
 * Creates the file with the strings, which all units share, so that they are
 * copied once.
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

/* --- the file that refers to them ---------------------------------------- */

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

static struct elf_file *open_package_file(const char *path)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct elf_file *file = NULL;
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		error_free(elf_file_open(take_fd(fd), path, &file));
	return file;
}

struct debug_package *debug_package_open(
	struct elf_file *file, struct elf_file *debug)
{
	char *path = debug_check_package(file, debug);
	struct debug_package *package;

	if (!path)
		return NULL;
	package = xcalloc(1, sizeof(*package));
	package->path = path;
	package->split = -1;
	package->is_sound = debug_check_split_at(path);
	package->file = open_package_file(path);
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
