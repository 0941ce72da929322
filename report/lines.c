/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines.h"

#include <elfutils/libdw.h>

#include "common/alloc.h"

struct source {
	bool is_open;
	struct elf_file *file, *debug; /* owned; NULL: there is none */
	Dwarf *dwarf;                  /* of one of them; NULL: none */
};

struct lines {
	struct files *files; /* borrowed */
	ARRAY(struct source) sources; /* by DSO */
};

struct lines *lines_create(struct files *files)
{
	struct lines *lines = xcalloc(1, sizeof(*lines));

	lines->files = files;
	return lines;
}

void lines_destroy(struct lines *lines)
{
	if (!lines)
		return;
	array_each(&lines->sources, source) {
		dwarf_end(source->dwarf);
		elf_file_close(source->file);
		elf_file_close(source->debug);
	}
	array_free(&lines->sources);
	free(lines);
}

static void open_source(struct lines *lines, uint32_t dso, uint64_t offset,
	struct source *source)
{
	enum store_trust trust;

	source->is_open = true;
	source->file = files_open(lines->files, dso, offset, &trust);
	if (source->file)
		source->dwarf = dwarf_begin_elf(
			elf_file_handle(source->file), DWARF_C_READ, NULL);
	if (source->dwarf)
		return;
	source->debug = files_open_debug(lines->files, dso);
	if (source->debug)
		source->dwarf = dwarf_begin_elf(
			elf_file_handle(source->debug), DWARF_C_READ, NULL);
}

/* Not every compiler writes .debug_aranges, which the first way needs. */
static bool find_unit(Dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *ret)
{
	Dwarf_CU *unit = NULL;

	if (dwarf_addrdie(dwarf, address, ret))
		return true;
	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, ret, NULL) == 0)
		if (dwarf_haspc(ret, address) > 0)
			return true;
	return false;
}

const char *lines_file(struct lines *lines, uint32_t dso, uint64_t offset)
{
	struct source *source;
	Dwarf_Addr address;
	Dwarf_Line *line;
	const char *path;
	Dwarf_Die unit;

	while (lines->sources.n <= dso)
		array_push(&lines->sources);
	source = &lines->sources.at[dso];
	if (!source->is_open)
		open_source(lines, dso, offset, source);
	if (!source->dwarf)
		return NULL;
	address = elf_file_address(
		source->file ? source->file : source->debug, offset);
	if (!find_unit(source->dwarf, address, &unit))
		return NULL;
	line = dwarf_getsrc_die(&unit, address);
	path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	return path ? basename(path) : NULL;
}
