/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the debug information of one file with libdw, unit by unit on request.
 * Each struct dwarf_lines is for one thread; several may be used at the same
 * time.
 */
#ifndef DWELL_REPORT_LINES_DWARF_LINES_H
#define DWELL_REPORT_LINES_DWARF_LINES_H

#include "common/elf/elf.h"
#include "common/file/line_unit.h"
#include "report/lines/missing_files.h"

struct dwarf_lines;

/*
 * The files with the code and debug information of a DSO. Each may be NULL, but
 * .code and .debug must not both be NULL.
 */
struct dwarf_line_files {
	struct elf_file *code;	/* the mapped file */
	struct elf_file *debug; /* debug file of .code; NULL: .code has the
				   debug information */
	struct elf_file *alt;	/* dwz file to which the debug information
				   refers */
};

/*
 * FILES and MISSING are borrowed until dwarf_lines_destroy(). Missing .dwo
 * files to which units refer are added to MISSING. Returns NULL if FILES have
 * no valid debug information.
 */
struct dwarf_lines *dwarf_lines_create(
	const struct dwarf_line_files *files, struct missing_files *missing);
/* READER may be NULL. */
void dwarf_lines_destroy(struct dwarf_lines *reader);

/*
 * Returns the lines of the unit with the code at ADDRESS, owned by the caller,
 * or NULL.
 */
struct line_unit *dwarf_lines_read_unit(
	struct dwarf_lines *reader, uint64_t address);

#endif
