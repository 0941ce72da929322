/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/unit_files.h"

#include <dwarf.h>

#include "common/util/alloc.h"
#include "report/lines/die_values.h"

#define TEXT_MAX KIB(64)

struct unit_files unit_files_of(Dwarf_Die *unit)
{
	struct unit_files files = { .folder = die_text(unit, DW_AT_comp_dir) };

	if (dwarf_getsrcfiles(unit, &files.files, &files.n))
		files.files = NULL;
	return files;
}

static bool is_short_text(const char *text)
{
	return text && strnlen(text, TEXT_MAX) < TEXT_MAX;
}

uint32_t unit_files_add_text(struct line_builder *builder, const char *text)
{
	return is_short_text(text) ? line_builder_text(builder, text)
				   : LINE_NONE;
}

/*
 * libdw adds the folder of the line table to a path, but only sometimes
 * DW_AT_comp_dir.
 */
uint32_t unit_files_add_path(const struct unit_files *files,
	struct line_builder *builder, const char *path)
{
	const char *folder = files->folder;
	_cleanup_free_ char *whole = NULL;

	if (!is_short_text(path) || *path == '/' || !is_short_text(folder) ||
		!*folder)
		return unit_files_add_text(builder, path);
	/* PATH can already begin with a DW_AT_comp_dir that is relative. */
	if (string_starts(path, folder) && path[strlen(folder)] == '/')
		return unit_files_add_text(builder, path);
	whole = xasprintf("%s/%s", folder, path);
	return unit_files_add_text(builder, whole);
}

uint32_t unit_files_add(const struct unit_files *files,
	struct line_builder *builder, uint32_t number)
{
	return files->files && number < files->n
		? unit_files_add_path(files, builder,
			  dwarf_filesrc(files->files, number, NULL, NULL))
		: LINE_NONE;
}
