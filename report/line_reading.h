/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the debug information of one unit tells of its lines and inlined functions.
 * Which unit it is, and where its parts are, is no matter of it.
 */
#ifndef DWELL_LINE_READING_H
#define DWELL_LINE_READING_H

#include <elfutils/libdw.h>

#include "report/line_builder.h"

/*
 * Of UNIT, whose functions are below FUNCTIONS (UNIT itself, or the DIE of its .dwo
 * file), to BUILDER. Paths that aren't whole begin in DW_AT_comp_dir (DWARF 5,
 * 3.1.1).
 */
void line_reading_take(
	Dwarf_Die *unit, Dwarf_Die *functions, struct line_builder *builder);

#endif
