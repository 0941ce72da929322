/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug information of one file, for libdw, which reads all of what it is
 * given: here only the sections that lines and inlined functions need, and of
 * the units the heads, until one is asked for. What is read is read once, so
 * that it stays what was checked (debug_check).
 */
#ifndef DWELL_REPORT_LINES_DEBUG_PART_H
#define DWELL_REPORT_LINES_DEBUG_PART_H

#include <elfutils/libdw.h>

#include "common/elf/elf.h"
#include "common/util/bytes.h"

struct debug_part;

/*
 * libdw's handle of FILE, to be ended before PART_RET is closed; NULL: it has no
 * debug information, or none to be trusted. PART_RET is NULL where libdw has all
 * of it. FILE is borrowed until then.
 */
Dwarf *debug_part_begin(struct elf_file *file, struct debug_part **part_ret);
/* The same of all there is. */
Dwarf *debug_whole_begin(struct elf_file *file);
/* NULL is fine, as in the next ones. */
void debug_part_close(struct debug_part *part);
/* .debug_line of FILE, of which PART is; borrowed; none if there is none. */
struct bytes debug_part_lines(struct debug_part *part, struct elf_file *file);

/*
 * Reads the unit that has the DIE at OFFSET, or all, if that unit refers to
 * others. False: it can't be read.
 */
bool debug_part_read(struct debug_part *part, uint64_t offset);

#endif
