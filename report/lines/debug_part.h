/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the debug information of one file for libdw, which reads everything
 * that it gets. Therefore libdw gets only the sections for lines and inlined
 * functions, and at first only the heads of units. Data is read once, so that
 * it does not change after the check (debug_check.h).
 */
#ifndef DWELL_REPORT_LINES_DEBUG_PART_H
#define DWELL_REPORT_LINES_DEBUG_PART_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"
#include "common/util/bytes.h"

struct debug_part;

/*
 * Returns the libdw handle of FILE, which the caller ends before it closes
 * PART_RET; NULL if there is no valid debug information. PART_RET is NULL if
 * libdw reads the whole file. FILE is borrowed until then.
 */
Dwarf *debug_part_begin(struct elf_file *file, struct debug_part **part_ret);
/* Returns the handle of the whole file, or NULL. */
Dwarf *debug_whole_begin(struct elf_file *file);
/* PART may be NULL, also in the functions below. */
void debug_part_close(struct debug_part *part);
/* Returns .debug_line of FILE, borrowed; empty if there is none. */
struct bytes debug_part_lines(struct debug_part *part, struct elf_file *file);

/*
 * Reads the unit of the DIE at OFFSET; all units if that one refers to others.
 * Returns false on an error.
 */
bool debug_part_read(struct debug_part *part, uint64_t offset);

#endif
