/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads lines and inlined functions of one unit of debug information. The
 * caller finds the unit, and fills struct line_reading_parts.
 */
#ifndef DWELL_REPORT_LINES_LINE_READING_H
#define DWELL_REPORT_LINES_LINE_READING_H

#include <elfutils/libdw.h>

#include "common/file/line_builder.h"
#include "common/util/bytes.h"
#include "report/lines/die.h"

struct line_reading_parts {
	/*
	 * The DIE of the unit, and the parent DIE of its functions: the same
	 * DIE, or the unit DIE of the .dwo file.
	 */
	Dwarf_Die *unit, *functions;
	struct die_scopes *scopes; /* scopes of the file's DIEs; borrowed */
	struct bytes lines;	   /* .debug_line of the unit's file */
	/*
	 * The address range of the code in the file. Ranges of code that the
	 * linker removed are outside of this range.
	 */
	uint64_t start, end;
};

/*
 * Adds the lines and inlined functions of PARTS to BUILDER. Relative paths
 * begin in DW_AT_comp_dir (DWARF 5, 3.1.1).
 */
void line_reading_take(
	const struct line_reading_parts *parts, struct line_builder *builder);

#endif
