/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes the function of a DIE: its name, the scopes that contain it, and
 * the place of its declaration.
 */
#ifndef DWELL_REPORT_LINES_FUNCTION_DIE_H
#define DWELL_REPORT_LINES_FUNCTION_DIE_H

#include "report/lines/die_scopes.h"
#include "report/lines/unit_files.h"

struct function_reading {
	const Dwarf_Die *unit;		/* DIE of the unit that is read */
	const struct unit_files *files; /* of .unit */
	struct die_scopes *scopes;
	struct line_builder *builder;
};

/*
 * Returns the linkage name of the function DIE or, if there is none, its name
 * in the source. Returns NULL if there is no name. The text is borrowed.
 */
const char *function_die_name(const Dwarf_Die *die);
/*
 * Adds the function DIE to the builder of READING. Returns its number, or
 * LINE_NONE if DIE has no name.
 */
uint32_t function_die_add(
	const struct function_reading *reading, const Dwarf_Die *die);

#endif
