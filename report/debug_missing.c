/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/debug_missing.h"

#include <dwarf.h>

#include "common/alloc.h"
#include "report/debug_check.h"

/* Of one program .dwo files are there, or they aren't. */
#define UNITS_MAX 64u

static char *missing_split(struct elf_file *file, Dwarf_CU *unit)
{
	Dwarf_Die die = { 0 }, split = { 0 };
	Dwarf_Attribute name;
	uint8_t type = 0;

	if (dwarf_cu_info(unit, NULL, &type, &die, NULL, NULL, NULL, NULL) ||
		type != DW_UT_skeleton ||
		(!dwarf_attr(&die, DW_AT_dwo_name, &name) &&
			!dwarf_attr(&die, DW_AT_GNU_dwo_name, &name)))
		return NULL;
	if (debug_check_split(file, &die) &&
		dwarf_cu_info(unit, NULL, NULL, NULL, &split, NULL, NULL,
			NULL) == 0 &&
		split.addr)
		return NULL;
	return xstrdup(dwarf_formstring(&name) ?: "?");
}

char *debug_missing(struct elf_file *file, bool has_alt)
{
	struct build_id id;
	const char *alt = elf_file_altlink(file, &id);
	Dwarf_CU *unit = NULL;
	char *missing = NULL;
	Dwarf *dwarf;
	size_t i;

	if (alt && !has_alt)
		return xstrdup(alt);
	if (!debug_check_file(file))
		return NULL;
	dwarf = dwarf_begin_elf(elf_file_handle(file), DWARF_C_READ, NULL);
	for (i = 0; dwarf && !missing && i < UNITS_MAX; i++) {
		if (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, NULL,
			    NULL) != 0)
			break;
		missing = missing_split(file, unit);
	}
	dwarf_end(dwarf);
	return missing;
}
