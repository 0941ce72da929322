/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the debug information of one file for libdw, which reads all sections
 * of a file. Therefore libdw gets a partial copy of the file: only the sections
 * for lines and inlined functions, and at first only the start of each unit.
 * The file is read once, so that its data does not change after the check
 * (debug_check.h).
 */
#ifndef DWELL_REPORT_LINES_DEBUG_PART_H
#define DWELL_REPORT_LINES_DEBUG_PART_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"
#include "common/util/bytes.h"

struct debug_part;

/*
 * Returns the libdw handle of FILE, or NULL if FILE has no valid debug
 * information. The caller ends the handle with dwarf_end() before it calls
 * debug_part_close(*PART_RET). *PART_RET is NULL if libdw reads the whole file.
 * FILE is borrowed until dwarf_end().
 */
Dwarf *debug_part_begin(struct elf_file *file, struct debug_part **part_ret);
/*
 * Returns a libdw handle that reads the whole FILE; NULL if FILE is not valid.
 */
Dwarf *debug_whole_begin(struct elf_file *file);
/* PART may be NULL, also in the functions below. */
void debug_part_close(struct debug_part *part);
/* Returns .debug_line of FILE, borrowed; empty if there is none. */
struct bytes debug_part_lines(struct debug_part *part, struct elf_file *file);

/*
 * Reads all bytes of the unit with the DIE at OFFSET in .debug_info, or of all
 * units if this unit refers to other units. Returns false on an error.
 */
bool debug_part_read(struct debug_part *part, uint64_t offset);

#endif
