/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/die_values.h"

#include <dwarf.h>

const char *die_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute)
						 : NULL;
}

bool die_number(Dwarf_Die *die, unsigned name, uint32_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) ||
		dwarf_formudata(&attribute, &value))
		return false;
	*ret = (uint32_t)MIN(value, (Dwarf_Word)INT32_MAX);
	return true;
}

bool die_line_table(Dwarf_Die *unit, uint64_t *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(unit, DW_AT_stmt_list, &attribute) &&
		dwarf_formudata(&attribute, ret) == 0;
}

bool die_origin(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Die from = *die;

	return (dwarf_attr(&from, DW_AT_abstract_origin, &attribute) ||
		       dwarf_attr(&from, DW_AT_specification, &attribute)) &&
		dwarf_formref_die(&attribute, ret);
}

size_t die_origins(const Dwarf_Die *die, Dwarf_Die ret[ORIGINS_MAX])
{
	size_t n = 1;

	ret[0] = *die;
	while (n < ORIGINS_MAX && die_origin(&ret[n - 1], &ret[n]))
		n++;
	return n;
}
