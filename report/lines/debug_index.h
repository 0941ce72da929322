/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the index of a .dwp file (DWARF 5, 7.3.5, and its GNU predecessor for
 * DWARF 4), which lists the parts of sections that belong to each unit.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_INDEX_H
#define DWELL_REPORT_LINES_DEBUG_INDEX_H

#include "common/elf/elf.h"

struct debug_index {
	uint32_t version, n_columns, n_units, n_slots;
	/* Tables, borrowed from the file. */
	const uint8_t *ids, *rows; /* by slot; rows count from 1, 0: empty */
	const uint8_t *columns;	   /* section numbers */
	const uint8_t *offsets, *sizes; /* by row, then by column */
};

/* The sections that have parts of units with code. */
#define DEBUG_INDEX_SECTIONS 5u
extern const char *const debug_index_sections[DEBUG_INDEX_SECTIONS];

/*
 * Returns false if FILE has no valid index, or another byte order than this
 * machine.
 */
bool debug_index_read(struct elf_file *file, struct debug_index *ret);
/* Stores the number of the unit ID in RET. Returns false if there is none. */
bool debug_index_find(
	const struct debug_index *index, uint64_t id, uint32_t *ret);
/*
 * Stores the part of SECTION, a number in debug_index_sections, that belongs to
 * UNIT; .size is 0 if there is none. Returns false if the part is not in the
 * file.
 */
bool debug_index_part(const struct debug_index *index, struct elf_file *file,
	uint32_t unit, unsigned section, struct elf_section *ret);

#endif
