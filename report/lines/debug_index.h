/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of a .dwp file (DWARF 5, 7.3.5, and GNU's for DWARF 4, which was
 * before it): which part of its sections is a unit's.
 */
#ifndef DWELL_REPORT_LINES_DEBUG_INDEX_H
#define DWELL_REPORT_LINES_DEBUG_INDEX_H

#include "common/elf/elf.h"

struct debug_index {
	uint32_t version, n_columns, n_units, n_slots;
	/* Tables, borrowed from the file. */
	const uint8_t *ids, *rows; /* by slot; a row counts from 1, 0: none */
	const uint8_t *columns;    /* numbers of sections */
	const uint8_t *offsets, *sizes; /* by row, then by column */
};

/* The sections of which units that have code have parts, in any order. */
#define DEBUG_INDEX_SECTIONS 5u
extern const char *const debug_index_sections[DEBUG_INDEX_SECTIONS];

/* False: FILE has none that is sound, or is of another byte order than this. */
bool debug_index_read(struct elf_file *file, struct debug_index *ret);
/* The unit of that ID into RET, a number; false: it isn't there. */
bool debug_index_find(
	const struct debug_index *index, uint64_t id, uint32_t *ret);
/*
 * What that UNIT of FILE's has of a SECTION, by its number above; .size is 0 if
 * there is nothing. False: it isn't in the file.
 */
bool debug_index_part(const struct debug_index *index, struct elf_file *file,
	uint32_t unit, unsigned section, struct elf_section *ret);

#endif
