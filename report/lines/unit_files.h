/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the source files to which the DIEs of one unit refer by number.
 */
#ifndef DWELL_REPORT_LINES_UNIT_FILES_H
#define DWELL_REPORT_LINES_UNIT_FILES_H

#include <elfutils/libdw.h>

#include "common/file/line_builder.h"

struct unit_files {
	Dwarf_Files *files; /* NULL: the unit has no table of files */
	size_t n;
	const char *folder; /* DW_AT_comp_dir; NULL: unknown */
};

/* Returns the files of the unit with the DIE UNIT; borrowed from libdw. */
struct unit_files unit_files_of(Dwarf_Die *unit);

/*
 * Adds TEXT to BUILDER. Returns its number, or LINE_NONE if TEXT is NULL or too
 * long.
 */
uint32_t unit_files_add_text(struct line_builder *builder, const char *text);
/*
 * Adds PATH to BUILDER, behind .folder of FILES if PATH is relative. Returns
 * the number of the text, or LINE_NONE.
 */
uint32_t unit_files_add_path(const struct unit_files *files,
	struct line_builder *builder, const char *path);
/*
 * Adds the path of file NUMBER to BUILDER. Returns the number of the text, or
 * LINE_NONE if there is no such file.
 */
uint32_t unit_files_add(const struct unit_files *files,
	struct line_builder *builder, uint32_t number);

#endif
