/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the debug information of one unit tells of its lines and inlined functions.
 * Which unit it is, and where its parts are, is no matter of it.
 */
#ifndef DWELL_REPORT_LINES_LINE_READING_H
#define DWELL_REPORT_LINES_LINE_READING_H

#include <elfutils/libdw.h>

#include "common/util/bytes.h"
#include "report/lines/line_builder.h"

struct line_reading_parts {
	/* The unit, and what functions are below: itself, or that of its .dwo file. */
	Dwarf_Die *unit, *functions;
	struct bytes lines; /* .debug_line of the unit's file */
	/* Where there is code. What the linker left out is told to be elsewhere. */
	uint64_t start, end;
};

/*
 * What PARTS tell, to BUILDER. Paths that aren't whole begin in DW_AT_comp_dir
 * (DWARF 5, 3.1.1).
 */
void line_reading_take(
	const struct line_reading_parts *parts, struct line_builder *builder);

#endif
