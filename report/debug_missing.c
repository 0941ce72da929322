/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/debug_missing.h"

#include <dwarf.h>

#include "common/alloc.h"
#include "report/debug_check.h"
#include "report/debug_package.h"
#include "report/debug_part.h"

/* Of one program .dwo files are there, or they aren't. */
#define UNITS_MAX 64u

static char *missing_split(struct elf_file *file, Dwarf_CU *unit,
	struct debug_package *package)
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

char *debug_missing(struct elf_file *file, bool has_alt,
	struct debug_package *package)
{
	struct build_id id;
	const char *alt = elf_file_altlink(file, &id);
	struct debug_part *part;
	Dwarf_CU *unit = NULL;
	char *missing = NULL;
	Dwarf *dwarf;
	size_t i;

	if (alt && !has_alt)
		return xstrdup(alt);
	dwarf = debug_part_begin(file, &part);
	for (i = 0; dwarf && !missing && i < UNITS_MAX; i++) {
		if (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, NULL,
			    NULL) != 0)
			break;
		missing = missing_split(file, unit, package);
	}
	dwarf_end(dwarf);
	debug_part_close(part);
	return missing;
}

bool debug_is_readable(struct elf_file *file)
{
	struct debug_part *part;
	Dwarf *dwarf = debug_part_begin(file, &part);
	Dwarf_CU *unit = NULL;
	bool is_readable = dwarf &&
		dwarf_get_units(dwarf, NULL, &unit, NULL, NULL, NULL, NULL) ==
			0;

	dwarf_end(dwarf);
	debug_part_close(part);
	return is_readable;
}
