/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the line table of one unit in the section .debug_line (DWARF 5, 6.2)
 * sequence by sequence. libdw is not used: it sorts all rows of a unit by
 * address, so that rows of code that the linker removed, which begin at 0, mix
 * with rows of other code. libdw reads only the names of files. line_check()
 * checks the DWARF 5 tables of folders and files before, because libdw does not
 * check that strings are terminated (elfutils 0.188).
 */
#ifndef DWELL_REPORT_LINES_LINE_PROGRAM_H
#define DWELL_REPORT_LINES_LINE_PROGRAM_H

#include "common/util/array.h"
#include "common/util/bytes.h"

struct line_program_row {
	uint64_t address; /* start; the row ends at the next one or at the end
			     of the sequence */
	uint64_t file;	  /* number in the table of files of the unit */
	uint32_t line;
};

/* A contiguous range of code. */
struct line_sequence {
	uint64_t start, end;
	size_t first, n; /* range of line_program.rows */
	size_t order;	 /* position in the line table */
};

/* A zero-initialized struct is empty. */
struct line_program {
	ARRAY(struct line_program_row) rows;
	ARRAY(struct line_sequence) sequences;
};

/*
 * Appends the rows of the line table at the start of TABLE, up to the first
 * damaged byte, to PROGRAM. The caller frees PROGRAM with
 * line_program_deinit().
 */
void line_program_read(struct bytes table, struct line_program *program);
void line_program_deinit(struct line_program *program);

/*
 * Finds the start of the next sequence in TABLE by its bytes, without running
 * the instructions before it, which takes much less time. ADDRESS_SIZE is 4 or
 * 8. Moves TABLE to the address, which it stores in *ADDRESS_RET. Returns false
 * at the end of TABLE. Finds every start that DW_LNE_set_address sets with its
 * shortest size, as compilers write it, and rarely other bytes that look like
 * one.
 */
bool line_program_next_start(
	struct bytes *table, size_t address_size, uint64_t *address_ret);

/*
 * Returns whether all tables of folders and files in SECTION, which is
 * uncompressed, are valid.
 */
bool line_check(struct bytes section);

#endif
