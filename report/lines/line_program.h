/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table of one unit (DWARF 5, 6.2), sequence by sequence. libdw has its
 * rows by address alone; then those of code that the linker left out, which is
 * told to be at 0, are among those of other code. Names of files are libdw's.
 */
#ifndef DWELL_REPORT_LINES_LINE_PROGRAM_H
#define DWELL_REPORT_LINES_LINE_PROGRAM_H

#include "common/util/array.h"
#include "common/util/bytes.h"

struct line_program_row {
	uint64_t address; /* up to the next row's, or the sequence's end */
	uint64_t file;    /* a number of the unit's table of files */
	uint32_t line;
};

/* Code that lies in one piece. */
struct line_sequence {
	uint64_t start, end;
	size_t first, n; /* of .rows */
	size_t order;    /* as they were written */
};

/* A zeroed one is empty. */
struct line_program {
	ARRAY(struct line_program_row) rows;
	ARRAY(struct line_sequence) sequences;
};

/*
 * Appends what the table says with which TABLE begins, up to where that is
 * damaged. PROGRAM is to be deinited.
 */
void line_program_read(struct bytes table, struct line_program *program);
void line_program_deinit(struct line_program *program);

#endif
